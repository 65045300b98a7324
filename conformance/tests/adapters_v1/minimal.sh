#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A worker of version 1 in a POSIX shell: onnx.Gather-13, u8 data, i64 indices.

rejected() { printf '{"seq":%s,"rejected":{"message":"%s"}}\n' "$seq" "$1"; }
unsupported() { printf '{"seq":%s,"unsupported":"%s"}\n' "$seq" "$1"; }
tensor() { printf '%s\n' "$line" | sed -n 's/.*"'"$1"'":{\([^}]*\)}.*/\1/p'; }
shape() { printf '%s\n' "$1" | sed -n 's/.*"shape":\[\([^]]*\)\].*/\1/p' | tr ',' ' '; }
contents() { printf '%s\n' "$1" | sed -n 's/.*"base64":"\([^"]*\)".*/\1/p' | base64 -d | od -An -v "$2" | tr '\n' ' '; }

answer() {
  attributes=$(tensor attributes)
  axis=0
  case $attributes in
    '') ;;
    '"axis":'*) axis=${attributes#*:} ;;
    *) rejected 'only the attribute axis is known' && return ;;
  esac
  case $axis in '' | *[!0-9-]*) rejected 'axis is no integer' && return ;; esac
  data=$(tensor data)
  indices=$(tensor indices)
  [ "$(printf '%s\n' "$line" | sed 's/"type":/\n/g' | wc -l)" = 3 ] || { rejected 'two operands, please' && return; }
  case $data in *'"type":"u8"'*) ;; *) unsupported 'data that is not u8' && return ;; esac
  case $indices in *'"type":"i64"'*) ;; *) unsupported 'indices that are not i64' && return ;; esac
  # shellcheck disable=SC2046 # one parameter a dimension
  set -- $(shape "$data")
  rank=$#
  if [ "$axis" -lt "-$rank" ] || [ "$axis" -ge "$rank" ]; then
    rejected 'axis is out of range' && return
  fi
  [ "$axis" -ge 0 ] || axis=$((axis + rank))
  before='' after='' outer=1 inner=1 size=0 k=0
  for extent; do
    if [ $k -lt "$axis" ]; then
      before="$before$extent," outer=$((outer * extent))
    elif [ $k -eq "$axis" ]; then
      size=$extent
    else
      after="$after$extent," inner=$((inner * extent))
    fi
    k=$((k + 1))
  done
  bytes=$(awk -v outer=$outer -v size="$size" -v inner=$inner -v data="$(contents "$data" -tu1)" -v picks="$(contents "$indices" -td8)" 'BEGIN {
    split(data, element, " "); count = split(picks, pick, " ")
    for (k = 1; k <= count; ++k) {
      if (pick[k] < -size || pick[k] >= size) { print "no"; exit }
      if (pick[k] < 0) pick[k] += size
    }
    for (o = 0; o < outer; ++o) for (k = 1; k <= count; ++k) for (i = 1; i <= inner; ++i)
      printf "\\%03o", element[(o * size + pick[k]) * inner + i] }')
  [ "$bytes" != no ] || { rejected 'an index is out of range' && return; }
  middle=$(shape "$indices" | sed 's/ /,/g')
  dims="$before${middle:+$middle,}$after"
  # shellcheck disable=SC2059 # bytes is a format: escapes, which stand for the bytes
  printf '{"seq":%s,"output":{"type":"u8","shape":[%s],"base64":"%s"}}\n' "$seq" "${dims%,}" "$(printf "$bytes" | base64 | tr -d '\n')"
}

while IFS= read -r line; do
  case $line in
    *'"message":"goodbye"'*) exit 0 ;;
    *'"message":"hello"'*)
      echo '{"message":"hello","protocol":1,"implementation":{"name":"minimal.sh"},"claims":[{"operators":["onnx.Gather-13"],"data":["u8"],"indices":["i64"]}]}'
      continue
      ;;
  esac
  seq=$(printf '%s\n' "$line" | sed 's/.*"seq":\([0-9]*\).*/\1/')
  answer
done
