#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "traffic/event.hpp"

// An imaginary web site and its clients. The properties of a client or a page follow from its
// number alone, so they do not change during the day.
namespace bloomtime::traffic {

inline constexpr std::uint32_t pages = 8192;  // in order of popularity
inline constexpr std::uint32_t assets = 24;   // pictures and the like: numbers from `pages` on
inline constexpr std::uint32_t robots_txt = pages + assets;

std::vector<std::string> make_paths();  // by number, all different

bool is_crawler(item_number client);  // one in 64
std::string_view agent_of(item_number client);
std::uint32_t asset_of(std::uint32_t page, std::uint32_t which);
std::uint32_t bytes_of(std::uint32_t page);
bool is_missing(std::uint32_t page);  // some links are broken

}  // namespace bloomtime::traffic
