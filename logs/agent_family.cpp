#include "logs/agent_family.hpp"

#include <algorithm>
#include <functional>

namespace bloomtime::logs {
namespace {

using namespace std::string_view_literals;

// In lower case, anywhere in the agent. Bots come first: many name a browser too.
constexpr std::array bots{
    "bot"sv,         "crawl"sv,         "spider"sv,
    "slurp"sv,       "+http"sv,         "facebookexternal"sv,
    "preview"sv,     "mediapartners"sv, "archiver"sv,
    "monitor"sv,     "pingdom"sv,       "uptime"sv,
    "feedfetcher"sv, "feedly"sv,        "rss"sv,
    "scanner"sv,     "lighthouse"sv,    "headless"sv,
    "validator"sv,   "whatsapp"sv,      "elb-healthchecker"sv,
    "kube-probe"sv,  "yandex.com"sv,
};

constexpr std::array tools{
    "curl"sv,       "wget"sv,        "python"sv, "go-http-client"sv, "java/"sv,     "okhttp"sv,
    "libwww"sv,     "httpclient"sv,  "ruby"sv,   "perl"sv,           "php"sv,       "node"sv,
    "axios"sv,      "scrapy"sv,      "zgrab"sv,  "masscan"sv,        "nmap"sv,      "nikto"sv,
    "sqlmap"sv,     "postman"sv,     "httpie"sv, "ansible"sv,        "aiohttp"sv,   "guzzle"sv,
    "powershell"sv, "git/"sv,        "apt-"sv,   "dart"sv,           "cfnetwork"sv, "winhttp"sv,
    "insomnia"sv,   "apachebench"sv, "jmeter"sv, "restsharp"sv,      "fetch"sv,     "libcurl"sv,
};

constexpr std::array browsers{"mozilla/"sv, "opera/"sv, "lynx/"sv,
                              "links ("sv,  "w3m/"sv,   "elinks"sv};

template <class Words>
bool names_one(std::string_view agent, const Words& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return agent.find(word) != agent.npos; });
}

}  // namespace

std::string_view agent_family(std::string_view agent) {
  std::string lower(agent);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  if (names_one(lower, bots)) return "bot";
  if (names_one(lower, tools)) return "tool";
  return names_one(lower, browsers) ? "browser" : "other";
}

std::string_view family_reader::read(std::string_view agent) {
  entry& e = known_[std::hash<std::string_view>()(agent) % known_.size()];
  if (e.family.empty() || e.agent != agent) e = {std::string(agent), agent_family(agent)};
  return e.family;
}

}  // namespace bloomtime::logs
