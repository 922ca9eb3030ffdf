/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/yaml_text.h"
#include <map>
#include <sstream>
#include <vector>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/parser.h>

namespace gr::fringe::array {

namespace {

// Values that a text may come to that are not written in it but named by an alias.
constexpr std::size_t max_unfolded = 1000000;

// Counts the values of a text, those of an alias as often as it is used.
class unfolded_values : public YAML::EventHandler
{
public:
    explicit unfolded_values(std::size_t limit) : d_limit(limit) {}

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override
    {
        add(mark, anchor, 1);
    }
    void OnScalar(const YAML::Mark& mark,
                  const std::string&,
                  YAML::anchor_t anchor,
                  const std::string&) override
    {
        add(mark, anchor, 1);
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override
    {
        const auto found = d_values.find(anchor);
        if (found == d_values.end())
            throw YAML::ParserException(
                mark, "an alias (*name) stands inside of what it names");
        add(mark, YAML::NullAnchor, found->second);
    }
    void OnSequenceStart(const YAML::Mark& mark,
                         const std::string&,
                         YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override
    {
        d_open.push_back({mark, anchor, 1});
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark,
                    const std::string&,
                    YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override
    {
        d_open.push_back({mark, anchor, 1});
    }
    void OnMapEnd() override { close(); }

private:
    struct collection {
        YAML::Mark mark;
        YAML::anchor_t anchor;
        std::size_t values;
    };

    void close()
    {
        const collection done = d_open.back();
        d_open.pop_back();
        add(done.mark, done.anchor, done.values);
    }
    void add(const YAML::Mark& mark, YAML::anchor_t anchor, std::size_t values)
    {
        if (anchor != YAML::NullAnchor)
            d_values[anchor] = values;
        if (d_open.empty())
            return;
        d_open.back().values += values;
        if (d_open.back().values > d_limit)
            throw YAML::ParserException(mark,
                                        "its aliases (*name) unfold to more than " +
                                            std::to_string(max_unfolded) + " values");
    }

    const std::size_t d_limit;
    std::map<YAML::anchor_t, std::size_t> d_values;
    std::vector<collection> d_open;
};

} // namespace

YAML::Node load_yaml(const std::string& text)
{
    if (text.find('*') != std::string::npos) {
        std::istringstream stream(text);
        YAML::Parser parser(stream);
        unfolded_values values(max_unfolded + text.size());
        parser.HandleNextDocument(values);
    }
    return YAML::Load(text);
}

} // namespace gr::fringe::array
