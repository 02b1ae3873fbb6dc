#pragma once

#include <string_view>

// The files of web/page. web/embed.cmake writes their definitions.
namespace bloomtime::web::assets {

extern const std::string_view index;
extern const std::string_view style;
extern const std::string_view script;
extern const std::string_view openapi;

}  // namespace bloomtime::web::assets
