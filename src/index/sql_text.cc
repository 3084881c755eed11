#include "sql_text.h"

#include <algorithm>
#include <span>

namespace howdah::index {
namespace {

using core::JobState;
using query::SortColumn;
using query::Term;
using Field = Term::Field;

std::string WithoutNul(std::string_view text) {
  std::string clean(text);
  std::erase(clean, '\0');
  return clean;
}

int64_t Micros(Instant time) { return time.time_since_epoch().count(); }

std::string_view SignOf(Term::Comparison comparison) {
  switch (comparison) {
    case Term::Comparison::kEqual:
      return " = ?";
    case Term::Comparison::kLess:
      return " < ?";
    case Term::Comparison::kLessOrEqual:
      return " <= ?";
    case Term::Comparison::kGreater:
      return " > ?";
    case Term::Comparison::kGreaterOrEqual:
      return " >= ?";
  }
  return " = ?";
}

// "(4, 5, 6)": the states in which a job has ended.
std::string FinalStates() {
  std::string list;
  for (const JobState state : {JobState::kSucceeded, JobState::kFailed, JobState::kKilled})
    list += (list.empty() ? "(" : ", ") + std::to_string(static_cast<int>(state));
  return list + ")";
}

// Microseconds from the start to the end or now, as query::TookUntil computes them.
SqlText Took(Instant now) {
  return {"(CASE WHEN finished IS NOT NULL THEN max(0, finished - started) WHEN state IN " + FinalStates() +
              " THEN NULL ELSE max(0, ? - started) END)",
          {Micros(now)}};
}

SqlText Compared(SqlText value, const Term& term) {
  value.sql += SignOf(term.comparison);
  value.values.emplace_back(term.number);
  return value;
}

// One of the patterns matches the text of the column. A missing text is an empty one.
SqlText TextMatches(const std::string& column, const std::vector<std::string>& patterns) {
  SqlText text;
  std::vector<std::string> wild;
  for (const std::string& pattern : patterns) {
    if (pattern.find('*') != std::string::npos) {
      wild.push_back(pattern);
      continue;
    }
    text.sql += text.sql.empty() ? column + " IN (?" : ", ?";
    text.values.emplace_back(WithoutNul(pattern));
  }
  if (!text.sql.empty()) text.sql += ")";
  if (std::find(patterns.begin(), patterns.end(), "") != patterns.end()) text.sql += " OR " + column + " IS NULL";
  if (!wild.empty()) {
    text.sql += (text.sql.empty() ? "" : " OR ") + ("matches(?, ifnull(" + column + ", '') || char(0))");
    text.values.push_back(ListValue(wild));
  }
  return text;
}

// One of the patterns matches one text of a column that contains a list.
SqlText ListMatches(const std::string& column, const std::vector<std::string>& patterns) {
  return {"matches(?, " + column + ")", {ListValue(patterns)}};
}

SqlText StateIn(const std::vector<JobState>& states) {
  SqlText text;
  for (const JobState state : states) {
    text.sql += text.sql.empty() ? "state IN (?" : ", ?";
    text.values.emplace_back(static_cast<int64_t>(state));
  }
  text.sql += text.sql.empty() ? "0" : ")";
  return text;
}

SqlText ConditionOf(const Term& term, Instant now) {
  switch (term.field) {
    case Field::kWord:
      return {"contains(search, ?)", {WithoutNul(term.patterns.empty() ? "" : term.patterns.front())}};
    case Field::kState:
      return StateIn(term.states);
    case Field::kUser:
      return TextMatches("user", term.patterns);
    case Field::kQueue:
      return TextMatches("queue", term.patterns);
    case Field::kName:
      return TextMatches("name", term.patterns);
    case Field::kFramework:
      return TextMatches("framework", term.patterns);
    case Field::kBackend:
      return TextMatches("backend COLLATE NOCASE", term.patterns);
    case Field::kTag:
      return ListMatches("tags", term.patterns);
    case Field::kNode:
      return ListMatches("nodes", term.patterns);
    case Field::kCheck:
      return ListMatches("checks", term.patterns);
    case Field::kId:
      return TextMatches("id COLLATE NOCASE", term.patterns);
    case Field::kSince:
      return {"state NOT IN " + FinalStates() + " OR finished >= ?", {Micros(term.at)}};
    case Field::kUntil:
      return {"submitted < ?", {Micros(term.at)}};
    case Field::kTook: {
      SqlText took = Took(now);
      took.sql += " / 1e6";
      return Compared(std::move(took), term);
    }
    case Field::kGpus:
      return Compared({"gpus", {}}, term);
    case Field::kGoodput:
      return Compared({"goodput", {}}, term);
  }
  return {"0", {}};
}

// A balanced expression, because SQLite limits the depth of expressions, and a filter may have a thousand words.
SqlText AllOf(std::span<const Term> terms, Instant now) {
  if (terms.size() == 1) {
    SqlText text = ConditionOf(terms.front(), now);
    // An unknown value matches no comparison, but does match a negated one.
    text.sql = terms.front().negated ? "NOT ifnull((" + text.sql + "), 0)" : "(" + text.sql + ")";
    return text;
  }
  const size_t half = terms.size() / 2;
  SqlText text{"(", {}};
  text.Append(AllOf(terms.first(half), now));
  text.sql += " AND ";
  text.Append(AllOf(terms.subspan(half), now));
  text.sql += ")";
  return text;
}

SqlValue KeyValue(const query::Position& position) {
  if (const auto* number = std::get_if<double>(&position.key)) return *number;
  if (const auto* text = std::get_if<std::string>(&position.key)) return WithoutNul(*text);
  return {};
}

}  // namespace

void SqlText::Append(const SqlText& other) {
  sql += other.sql;
  values.insert(values.end(), other.values.begin(), other.values.end());
}

SqlText ConditionOf(const query::Filter& filter, Instant now) {
  if (filter.empty()) return {"1", {}};
  return AllOf(filter, now);
}

SqlText KeyOf(SortColumn column, Instant now) {
  switch (column) {
    case SortColumn::kSubmitted:
      return {"submitted", {}};
    case SortColumn::kStarted:
      return {"started", {}};
    case SortColumn::kFinished:
      return {"finished", {}};
    case SortColumn::kTook:
      return Took(now);
    case SortColumn::kId:
      return {"id", {}};
    case SortColumn::kName:
      return {"name", {}};
    case SortColumn::kUser:
      return {"user", {}};
    case SortColumn::kQueue:
      return {"queue", {}};
    case SortColumn::kState:
      return {"state", {}};
    case SortColumn::kTasks:
      return {"tasks", {}};
    case SortColumn::kGpus:
      return {"gpus", {}};
    case SortColumn::kProgress:
      return {"progress", {}};
    case SortColumn::kGoodput:
      return {"goodput", {}};
    case SortColumn::kSeverity:
      return {"severity", {}};
    case SortColumn::kCost:
      return {"cost", {}};
    case SortColumn::kReason:
      return {"reason", {}};
    case SortColumn::kBackend:
      return {"backend COLLATE NOCASE", {}};
    case SortColumn::kFramework:
      return {"framework", {}};
  }
  return {"id", {}};
}

SqlText AfterOf(const query::Order& order, const query::Position& position, bool known, Instant now) {
  const bool is_known = position.key.index() != 0;
  const std::string sign = order.descending ? " < " : " > ";
  if (known) {
    if (!is_known) return {"0", {}};  // all rows with a known key come before the position
    SqlText key = KeyOf(order.column, now);
    key.sql = "(" + key.sql + ", id, backend)" + sign + "(?, ?, ?)";
    key.values.insert(key.values.end(), {KeyValue(position), position.id, position.backend});
    return key;
  }
  if (is_known) return {"1", {}};
  return {"(id, backend)" + sign + "(?, ?)", {position.id, position.backend}};
}

SqlValue TextValue(std::string_view text) {
  std::string clean = WithoutNul(text);
  if (clean.empty()) return {};
  return clean;
}

SqlValue ListValue(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += WithoutNul(text) + '\0';
  if (list.empty()) return {};
  return list;
}

SqlValue TimeValue(const std::optional<Instant>& time) {
  if (!time) return {};
  return Micros(*time);
}

}  // namespace howdah::index
