// The content of a table of routes, for dispatch and for the documents.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "howdah/web/routes.h"
#include "route_pattern.h"

namespace howdah::web {

struct TableRow {
  Route route;
  RoutePattern pattern;
  // Whether the parameter is part of the pattern.
  bool InPath(const std::string& name) const;
};

struct Match {
  const TableRow* row;
  RoutePattern::Values values;
};

using NamedSchemas = std::vector<std::pair<std::string, std::string>>;

class Routes::Impl {
 public:
  // The rows whose patterns match, for any method. Patterns with a rest of the path count only if no other matches, so
  // that a page for every other path does not answer a GET of a path that allows only POST.
  std::vector<web::Match> Match(const std::string& path) const;

  std::vector<TableRow> rows;  // in the order of the documents
  NamedSchemas schemas;
};

// The documents of Routes::OpenApi and Routes::Markdown.
std::string OpenApiOf(const std::vector<TableRow>& rows, const NamedSchemas& schemas, const ApiTitle& title);
std::string MarkdownOf(const std::vector<TableRow>& rows, const ApiTitle& title);

}  // namespace howdah::web
