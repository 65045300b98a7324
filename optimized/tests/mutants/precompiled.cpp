// SPDX-License-Identifier: Apache-2.0
// Nothing: with it the header is compiled that the mutants of kernels share.
