/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// The main() of every program of tests, whose name is that of its module.

#include <boost/test/unit_test.hpp>
#include <string>

namespace {

std::string program;

bool named()
{
    boost::unit_test::framework::master_test_suite().p_name.value =
        program.substr(program.rfind('/') + 1);
    return true;
}

} // namespace

int main(int argc, char* argv[])
{
    program = argv[0];
    return boost::unit_test::unit_test_main(&named, argc, argv);
}
