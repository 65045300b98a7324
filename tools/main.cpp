// SPDX-License-Identifier: Apache-2.0
// The gathercheck command.
#include "tools/command.hpp"

int main(int argc, char** argv) { return gathercheck::command(argc, argv); }
