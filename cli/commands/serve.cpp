#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/profiling/profiling.hpp"
#include "cli/signals.hpp"
#include "cli/text.hpp"
#include "cli/web/opened_profile.hpp"
#include "cli/web/site.hpp"
#include "cli/web/turns.hpp"
#include "cli/web/web_display.hpp"

namespace bloomtime::cli {
namespace {

struct typed_serve {
  std::vector<std::string> store;
  std::vector<std::string> logs;
  std::string listen = "127.0.0.1:7979";
  std::string token;
  std::string token_file;
  std::vector<std::string> hosts;
  std::string state;
  std::string window;
  std::string error = "1e-6";
  std::string checkpoint = "1m";
};

constexpr std::size_t shortest_token = 16;

// -- settings ------------------------------------------------------------------------------------

std::string token_of(const typed_serve& given) {
  std::string token = given.token;
  if (!given.token_file.empty()) {
    if (!token.empty()) refuse("--token and --token-file exclude each other; give one");
    std::ifstream file(given.token_file);
    if (!std::getline(file, token)) {
      refuse("--token-file {} cannot be read, or is empty", shown(given.token_file));
    }
  }
  const bool plain = token.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                         "0123456789-._~") == token.npos;
  if (!token.empty() && (token.size() < shortest_token || !plain)) {
    refuse(
        "--token must have at least {} characters, of letters, digits and - . _ ~, as `openssl "
        "rand -hex 16` prints them; got {}",
        shortest_token, token.size());
  }
  return token;
}

site_settings site_settings_of(const typed_serve& given) {
  const std::size_t colon = given.listen.rfind(':');
  const auto port =
      colon == given.listen.npos
          ? std::nullopt
          : number_in<std::uint16_t>(std::string_view(given.listen).substr(colon + 1));
  if (!port) {
    refuse("--listen must be an address and a port, as in 127.0.0.1:7979, got {}",
           shown(given.listen));
  }
  site_settings s;
  s.address = given.listen.substr(0, colon);
  if (s.address.starts_with('[') && s.address.ends_with(']')) {
    s.address = s.address.substr(1, s.address.size() - 2);
  }
  if (s.address == "localhost") s.address = "127.0.0.1";
  s.port = *port;
  s.token = token_of(given);
  s.hosts = given.hosts;
  s.title = !given.store.empty()   ? given.store.front()
            : !given.logs.empty()  ? given.logs.front()
            : !given.state.empty() ? given.state
                                   : "duplicates";
  if (s.token.empty() && !is_loopback(s.address)) {
    refuse("--listen {} can be reached from other machines, so it needs --token or --token-file",
           given.listen);
  }
  return s;
}

std::unique_ptr<duplicate_service> duplicates_of(const typed_serve& given) {
  if (given.state.empty() && given.window.empty()) return nullptr;
  const auto window =
      given.window.empty() ? std::chrono::minutes(10) : parse_span("--window", given.window);
  return std::make_unique<duplicate_service>(given.state, window,
                                             parse_probability("--error", given.error),
                                             parse_pause("--checkpoint", given.checkpoint));
}

// -- a store that others write -------------------------------------------------------------------

// The newest checkpoint of a store.
class watched_store {
 public:
  explicit watched_store(const std::string& directory)
      : directory_(directory), seen_(newest()), now_(std::in_place, directory) {}

  // Returns whether there is another one.
  bool look_again() {
    const checkpoint found = newest();
    if (found == seen_) return false;
    auto next = std::make_unique<opened_profile>(directory_);
    const std::scoped_lock held(turns_);
    now_.emplace(std::move(*next));
    seen_ = found;
    return true;
  }

  void see(const page_visit& visit) {
    const std::shared_lock held(turns_);
    visit(now_->subject());
  }

 private:
  // A store that was removed and made anew counts from 1 again.
  struct checkpoint {
    instant store_created;
    std::uint64_t generation;

    bool operator==(const checkpoint&) const = default;
  };

  checkpoint newest() const {
    const store::manifest m = store::read_manifest(directory_);
    return {m.created, m.generation};
  }

  const std::string& directory_;
  checkpoint seen_;
  turns turns_;
  std::optional<opened_profile> now_;
};

// What is wrong with a store that was there, said once as long as it lasts. The page shows what was
// read last.
class store_trouble {
 public:
  void begin(const char* what) {
    if (what_ == what) return;
    what_ = what;
    note(what_);
  }
  void end() { what_.clear(); }

 private:
  std::string what_;
};

exit_status serve_store(const typed_serve& given, const site_settings& how,
                        duplicate_service* duplicates, const signal_watch& signals) {
  std::optional<watched_store> watched;
  if (!given.store.empty()) watched.emplace(given.store.front());
  page_view see;
  if (watched) see = [&](const page_visit& visit) { watched->see(visit); };
  {
    site shown(how, see, duplicates);
    shown.refresh(std::chrono::steady_clock::now());  // so that the first page does not wait for it
    note(fmt::format("listening on {}", site_address(how, shown.port())));
    bool changed = false;
    store_trouble trouble;
    while (signals.ending() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      const auto now = std::chrono::steady_clock::now();
      try {
        // Without a store the page shows the keys, which change with every request.
        changed = !watched || watched->look_again() || changed;
        trouble.end();
      } catch (const std::runtime_error& e) {  // error, or usage_error: a store of another command
        trouble.begin(e.what());
      }
      if (duplicates != nullptr) duplicates->save_if_due(now);
      if (changed && shown.refresh(now)) changed = false;
    }
  }
  if (duplicates != nullptr) duplicates->end();
  return yes;
}

exit_status serve_logs(const typed_serve& given, const site_settings& how,
                       duplicate_service* duplicates, const output_options& asked,
                       const printer& out) {
  profile_options p;
  p.files = given.logs;
  p.store = given.store.empty() ? "" : given.store.front();
  p.follow = true;
  p.checkpoint = given.checkpoint;
  if (p.store.empty() && given.logs.front() == "-") {
    refuse("serve --follow - needs a store to keep, as in bloomtime serve site --follow -");
  }
  return follow_logs(
      p, asked,
      [&](const live::source& from) {
        return std::make_unique<web_display>(from, how, duplicates);
      },
      out);
}

exit_status serve(const typed_serve& given, const output_options& asked, const printer& out) {
  if (given.store.size() > 1) {
    refuse("serve needs one store, got {}. Try bloomtime serve access.bloomtime",
           given.store.size());
  }
  std::error_code ignored;
  if (!given.store.empty() && std::filesystem::is_regular_file(given.store.front(), ignored)) {
    refuse(
        "{0} is a file, and a store is a directory; bloomtime serve --follow {0} reads a log, and "
        "bloomtime serve --state {0} answers from a state of dedupe",
        given.store.front());
  }
  const site_settings how = site_settings_of(given);
  const signal_watch signals;  // before there is a lock, which a signal would leave behind
  const std::unique_ptr<duplicate_service> duplicates = duplicates_of(given);
  if (!given.logs.empty()) return serve_logs(given, how, duplicates.get(), asked, out);
  if (given.store.empty() && !duplicates) {
    refuse(
        "serve needs a store, --follow LOG, or --window for duplicates. Try bloomtime serve "
        "access.bloomtime");
  }
  return serve_store(given, how, duplicates.get(), signals);
}

constexpr const char* serve_examples =
    "bloomtime serve access.bloomtime                        http://127.0.0.1:7979/\n"
    "bloomtime serve --follow access.log                     read the log, and keep the store\n"
    "bloomtime serve site --follow access.log --listen 127.0.0.1:8080\n"
    "bloomtime serve --window 10m --state hooks.state        judge keys: POST /api/dedupe\n"
    "bloomtime serve access.bloomtime --listen 0.0.0.0:7979 --token-file token\n"
    "curl 'http://127.0.0.1:7979/api/heat?field=path&item=/login'";

constexpr const char* serve_details =
    "/             the page of bloomtime report, kept up to date\n"
    "/api/...      hot, heat, count, seen, timeline: the object that the command prints with "
    "--json;\n"
    "              POST dedupe: which of these keys are new; openapi.json describes them\n"
    "/metrics      for Prometheus\n"
    "A store that another process writes is shown anew after each of its checkpoints. With "
    "--follow\n"
    "this process is the writer, as bloomtime profile --follow is: it saves every --checkpoint "
    "and\n"
    "at the end, also by SIGINT, SIGTERM and SIGHUP.\n"
    "Requests must name this server in Host: localhost, an address, or a --host. Requests of "
    "pages\n"
    "of other sites are refused. Without --token only loopback addresses are listened on.\n"
    "docs/web.md describes limits and answers.\n";

}  // namespace

void add_serve(command& root, output_options& asked) {
  command& self = root.add("serve", "a live page, a JSON API and metrics over HTTP");
  self.usage = "[STORE] [--follow LOG]... [--listen ADDRESS:PORT]";
  self.examples = serve_examples;
  self.details = serve_details;
  const auto given = std::make_shared<typed_serve>();
  self.arguments("STORE", given->store, "directory that bloomtime profile made");
  self.texts("--follow", given->logs, "LOG", "read this log into the store, and wait for more");
  self.text("--listen", given->listen, "ADDRESS", "address and port (default 127.0.0.1:7979)");
  self.text("--token", given->token, "TEXT", "secret that every request needs");
  self.text("--token-file", given->token_file, "FILE",
            "the same from the first line of a file, where no list of processes shows it");
  self.texts("--host", given->hosts, "NAME", "name of this server behind a proxy");
  self.text("--state", given->state, "FILE", "state of bloomtime dedupe for POST /api/dedupe");
  self.text("--window", given->window, "TIME", "window of a new state (default 10m)");
  self.text("--error", given->error, "P", "error of a new state (default 1e-6)");
  self.text("--checkpoint", given->checkpoint, "TIME",
            "how often --state and, with --follow, the store are saved (default 1m)");
  self.output(asked);
  self.act = [given, &asked](const printer& out) { return serve(*given, asked, out); };
}

}  // namespace bloomtime::cli
