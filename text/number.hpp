#pragma once

#include <cstdint>
#include <string>

// Prints numbers for people.
namespace bloomtime::text {

std::string count_text(std::uint64_t n);              // 1,000,000
std::string bytes_text(std::uint64_t bytes);          // 1.24 MB: decimal units, three digits
std::string short_text(double x, int digits = 3);     // 9.95, 352, 1,240: so many digits or more
std::string probability_text(double p);               // 1.00 %, 0.998 %; 1.00e-6 where % is clumsy
std::string probability_text(double p, double plan);  // 0.998 %: one digit more than the plan has
std::string probability_text(double low, double high, double plan);  // 0.967 – 1.033 %
std::string brief_probability_text(double p);                        // 1 %, 0.1 %, 1e-6
std::string nanoseconds_text(double ns);                             // 3.9 ns, 12 us

}  // namespace bloomtime::text
