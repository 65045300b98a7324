module gathercheck_go

go 1.24
