#include "response_plan.h"

#include <array>
#include <cstdio>

#include "gzip.h"
#include "negotiation.h"

namespace howdah::web {
namespace {

constexpr size_t kSmallestCompressed = 512;         // a smaller body fits into one packet anyway
constexpr size_t kInflatedMost = size_t{64} << 20;  // of a body that the program itself compressed

bool HasNoBody(int status) { return status < 200 || status == 204 || status == 304; }

// Answers 304 if the client has this version.
void CheckVersion(const Request& request, Response& response) {
  if (response.status != 200 || !ClientHas(request, response.headers.Get("ETag"))) return;
  response.status = 304;
  response.body = std::string();
}

// Makes the compression of a text fit what the client accepts.
void ChooseCompression(const Request& request, Response& response) {
  if (!std::holds_alternative<std::string>(response.body)) return;
  const bool compressed = response.headers.Get("Content-Encoding") == "gzip";
  if (!compressed && !IsCompressible(response.headers.Get("Content-Type"))) return;
  response.headers.Add("Vary", "Accept-Encoding");
  const bool accepts = AcceptsGzip(request);
  if (accepts) return Compress(response);
  if (!compressed) return;
  auto inflated = Gunzip(std::get<std::string>(response.body), kInflatedMost);
  if (!inflated) return;  // the program's own mistake: the client sees the bytes as they are
  response.body = std::move(*inflated);
  response.headers.Remove("Content-Encoding");
}

// Chooses the part of a ranged body.
void ChoosePart(const Request& request, Response& response, ResponsePlan& plan) {
  const auto* ranged = std::get_if<RangedBody>(&response.body);
  if (ranged == nullptr) return;
  response.headers.Set("Accept-Ranges", "bytes");
  // A client with If-Range has an older version of the body, perhaps; it gets the whole body.
  const bool applies = request.method == "GET" && response.status == 200 && !request.headers.Has("If-Range");
  const RangeChoice choice = applies ? ChooseRange(request.headers.Get("Range"), ranged->size) : RangeChoice();
  const std::string whole = "/" + std::to_string(ranged->size);
  plan.framing = Framing::kSized;
  plan.size = ranged->size;
  if (choice.kind == RangeChoice::Kind::kPart) {
    response.status = 206;
    plan.offset = choice.part.offset;
    plan.size = choice.part.size;
    response.headers.Set("Content-Range", "bytes " + std::to_string(plan.offset) + "-" +
                                              std::to_string(plan.offset + plan.size - 1) + whole);
  } else if (choice.kind == RangeChoice::Kind::kUnsatisfiable) {
    response = ToResponse({416,
                           "the range begins after the end of the " + std::to_string(ranged->size) + " bytes",
                           "ask for a part of the body, or leave out the header Range",
                           {{"Content-Range", "bytes *" + whole}, {"Accept-Ranges", "bytes"}}});
    plan.framing = Framing::kText;
  }
}

void ChooseFraming(const PlanContext& context, const Request& request, Response& response, ResponsePlan& plan) {
  if (auto* text = std::get_if<std::string>(&response.body)) {
    plan.body = std::move(*text);
    if (!HasNoBody(response.status)) response.headers.Set("Content-Length", std::to_string(plan.body.size()));
    if (request.method == "HEAD" || HasNoBody(response.status)) plan.body.clear();
  } else if (plan.framing == Framing::kSized) {
    response.headers.Set("Content-Length", std::to_string(plan.size));
  } else if (context.http_1_0) {
    plan.framing = Framing::kUntilClose;
    plan.keep_alive = false;
  } else {
    plan.framing = Framing::kChunked;
    response.headers.Set("Transfer-Encoding", "chunked");
  }
  if (request.method == "HEAD") plan.framing = Framing::kText;
}

}  // namespace

void Compress(Response& response) {
  const auto* text = std::get_if<std::string>(&response.body);
  if (text == nullptr || text->size() < kSmallestCompressed || response.headers.Has("Content-Encoding")) return;
  if (!IsCompressible(response.headers.Get("Content-Type"))) return;
  response.body = Gzip(*text);
  response.headers.Set("Content-Encoding", "gzip");
}

ResponsePlan PlanResponse(const PlanContext& context, const Request& request, Response& response) {
  ResponsePlan plan;
  plan.keep_alive = context.keep_alive;
  CheckVersion(request, response);
  ChoosePart(request, response, plan);
  ChooseCompression(request, response);
  ChooseFraming(context, request, response, plan);
  plan.status = response.status;
  for (const auto& [name, value] : context.defaults->fields()) response.headers.SetDefault(name, value);
  plan.head = "HTTP/1.1 " + std::to_string(response.status) + " " + std::string(StatusTitle(response.status)) + "\r\n";
  plan.head += "Date: " + HttpDate(context.now) + "\r\n";
  for (const auto& [name, value] : response.headers.fields()) plan.head += name + ": " + value + "\r\n";
  if (!plan.keep_alive) plan.head += "Connection: close\r\n";
  plan.head += "\r\n";
  return plan;
}

std::string HttpDate(Instant time) {
  constexpr std::array kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::seconds>(time - day));
  char text[64];
  std::snprintf(text, sizeof text, "%s, %02u %s %04d %02d:%02d:%02d GMT", kDays[std::chrono::weekday(day).c_encoding()],
                unsigned{date.day()}, kMonths[unsigned{date.month()} - 1], int{date.year()},
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text;
}

}  // namespace howdah::web
