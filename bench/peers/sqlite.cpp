#include "bench/peers/peers.hpp"

#if __has_include(<sqlite3.h>)
#include <sqlite3.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "bench/peers/sightings.hpp"

namespace bench {
namespace {

using bloomtime::digest;
using bloomtime::instant;

// A table with an index, in memory and in one transaction, with prepared statements: what SQLite
// does fastest. Items are the first 64 bits of their digests.
class database {
 public:
  database(const char* table, const char* add, const char* ask) : db_(opened(), &sqlite3_close) {
    run(table);
    run("BEGIN");
    add_ = prepared(add);
    ask_ = prepared(ask);
  }

  void add(digest d, instant t) { step(add_, d, t, t); }
  bool seen(digest d, instant from, instant to) const { return step(ask_, d, from, to); }
  void finish() { run("COMMIT"); }
  std::uint64_t memory() const { return number("PRAGMA page_count") * number("PRAGMA page_size"); }

 private:
  static sqlite3* opened() {
    sqlite3* db = nullptr;
    if (sqlite3_open(":memory:", &db) != SQLITE_OK) throw std::runtime_error("sqlite3_open");
    return db;
  }
  void run(const char* text) const {
    if (sqlite3_exec(db_.get(), text, nullptr, nullptr, nullptr) != SQLITE_OK) fail();
  }
  std::shared_ptr<sqlite3_stmt> prepared(const char* text) const {
    sqlite3_stmt* made = nullptr;
    if (sqlite3_prepare_v2(db_.get(), text, -1, &made, nullptr) != SQLITE_OK) fail();
    return {made, [db = db_](sqlite3_stmt* s) { sqlite3_finalize(s); }};
  }
  bool step(const std::shared_ptr<sqlite3_stmt>& s, digest d, instant from, instant to) const {
    sqlite3_bind_int64(s.get(), 1, static_cast<sqlite3_int64>(d.lo));
    sqlite3_bind_int64(s.get(), 2, from.micros / 1'000'000);
    sqlite3_bind_int64(s.get(), 3, to.micros / 1'000'000);
    const int status = sqlite3_step(s.get());
    if (status != SQLITE_ROW && status != SQLITE_DONE) fail();
    sqlite3_reset(s.get());
    return status == SQLITE_ROW;
  }
  std::uint64_t number(const char* text) const {
    const auto s = prepared(text);
    if (sqlite3_step(s.get()) != SQLITE_ROW) fail();
    return static_cast<std::uint64_t>(sqlite3_column_int64(s.get(), 0));
  }
  [[noreturn]] void fail() const {
    throw std::runtime_error(std::string("SQLite: ") + sqlite3_errmsg(db_.get()));
  }

  std::shared_ptr<sqlite3> db_;
  std::shared_ptr<sqlite3_stmt> add_;
  std::shared_ptr<sqlite3_stmt> ask_;
};

}  // namespace

std::vector<candidate> sqlite_candidates(subject asked) {
  if (asked == subject::recency) {
    return {{"SQLite with an index", "exact; SQL; may be a file", false, 0,
             trial(
                 [](std::uint64_t) {
                   return database("CREATE TABLE seen (item INTEGER PRIMARY KEY, time INTEGER)",
                                   "INSERT OR REPLACE INTO seen VALUES (?1, ?2)",
                                   "SELECT 1 FROM seen WHERE item = ?1 AND time >= ?2 - 3600");
                 },
                 [](database& e, digest d, instant t) { e.add(d, t); },
                 [](const database& e, digest d) { return e.seen(d, last_event, last_event); },
                 [](database& e) { e.finish(); })}};
  }
  if (asked == subject::history) {
    return {{"SQLite with an index", "exact; SQL; may be a file", false, 0,
             history_trial(
                 [](std::uint64_t) {
                   return database(
                       "CREATE TABLE seen (item INTEGER, time INTEGER, "
                       "PRIMARY KEY (item, time)) WITHOUT ROWID",
                       "INSERT OR IGNORE INTO seen VALUES (?1, ?2)",
                       "SELECT 1 FROM seen WHERE item = ?1 AND time BETWEEN ?2 AND ?3 "
                       "LIMIT 1");
                 },
                 [](database& e) { e.finish(); })}};
  }
  return {};
}

}  // namespace bench
#else
namespace bench {
std::vector<candidate> sqlite_candidates(subject) { return {}; }
}  // namespace bench
#endif
