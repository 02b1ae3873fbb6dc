#include "traffic/site.hpp"

#include <array>

#include <bloomtime/digest.hpp>

namespace bloomtime::traffic {
namespace {

// Different properties of one number are independent.
enum topic : std::uint64_t { crawler, agent, size, missing };

std::uint64_t trait(std::uint64_t number, topic about) {
  return detail::mix(detail::mix(number + 1) + about * detail::golden);
}

constexpr std::array<std::string_view, 6> sections{"articles", "products", "guides",
                                                   "news",     "forum",    "docs"};
constexpr std::array<std::string_view, 12> words{"bloom",  "meadow", "orchid",  "harvest",
                                                 "season", "garden", "clover",  "spring",
                                                 "willow", "thyme",  "almanac", "solstice"};
constexpr std::array<std::string_view, 4> asset_names{"/css/style-", "/js/site-", "/img/photo-",
                                                      "/img/icon-"};
constexpr std::array<std::string_view, 4> asset_ends{".css", ".js", ".jpg", ".png"};

constexpr std::array<std::string_view, 8> browsers{
    "Mozilla/5.0 (Windows NT 6.1; WOW64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/31.0 "
    "Safari/537.36",
    "Mozilla/5.0 (Windows NT 6.1; rv:26.0) Gecko/20100101 Firefox/26.0",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_9_1) AppleWebKit/537.73 (KHTML, like Gecko) "
    "Version/7.0 Safari/537.73",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 7_0 like Mac OS X) AppleWebKit/537.51 (KHTML, like Gecko) "
    "Mobile/11A465 Safari/9537.53",
    "Mozilla/5.0 (Linux; Android 4.4) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/31.0 Mobile "
    "Safari/537.36",
    "Mozilla/5.0 (X11; Linux x86_64; rv:26.0) Gecko/20100101 Firefox/26.0",
    "Mozilla/5.0 (compatible; MSIE 10.0; Windows NT 6.2; Trident/6.0)",
    "Mozilla/5.0 (iPad; CPU OS 7_0 like Mac OS X) AppleWebKit/537.51 (KHTML, like Gecko) "
    "Version/7.0 Mobile/11A465 Safari/9537.53"};
constexpr std::array<std::string_view, 3> crawlers{
    "Mozilla/5.0 (compatible; GardenBot/2.1; +http://bot.example/)", "SeedCrawler/0.9",
    "Mozilla/5.0 (compatible; PollenSpider/1.4; +http://spider.example/about)"};

std::string path_of_page(std::uint32_t page) {
  if (page == 0) return "/";
  std::string path = "/";
  path += sections[page % sections.size()];
  path += '/';
  path += words[page / sections.size() % words.size()];
  path += '-';
  path += std::to_string(page);
  return path += ".html";
}

std::string path_of_asset(std::uint32_t asset) {
  const std::size_t kind = asset % asset_names.size();
  return std::string(asset_names[kind]) + std::to_string(asset) + std::string(asset_ends[kind]);
}

}  // namespace

std::vector<std::string> make_paths() {
  std::vector<std::string> paths;
  paths.reserve(robots_txt + 1);
  for (std::uint32_t p = 0; p < pages; ++p) paths.push_back(path_of_page(p));
  for (std::uint32_t a = 0; a < assets; ++a) paths.push_back(path_of_asset(a));
  paths.emplace_back("/robots.txt");
  return paths;
}

bool is_crawler(item_number client) { return trait(client, crawler) % 64 == 0; }

std::string_view agent_of(item_number client) {
  const std::uint64_t which = trait(client, agent);
  return is_crawler(client) ? crawlers[which % crawlers.size()] : browsers[which % browsers.size()];
}

std::uint32_t asset_of(std::uint32_t page, std::uint32_t which) {
  return pages + (page * 5 + which) % assets;
}

// From hundreds of bytes to hundreds of kilobytes; all powers of two are equally likely.
std::uint32_t bytes_of(std::uint32_t page) {
  const std::uint64_t bits = trait(page, size);
  const auto scale = 256U << (bits % 10);
  return scale + static_cast<std::uint32_t>((bits >> 8) % scale);
}

bool is_missing(std::uint32_t page) {
  return page != 0 && page < pages && trait(page, missing) % 40 == 0;
}

}  // namespace bloomtime::traffic
