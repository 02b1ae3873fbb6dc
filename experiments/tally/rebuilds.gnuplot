set terminal svg size 1300,420 font 'sans,13' background '#ffffff'
set multiplot layout 1,3 margins 0.05, 0.79, 0.15, 0.83 spacing 0.09, 0 title "Rebuilds of a dynamic count filter, n = 1000, M = 100 n, theta from 0 to 2 (figures 4 and 5)"
set key at screen 0.99, 0.83 right top vertical Left reverse samplen 1.5
set ylabel "rebuilds"
set yrange [0:*]
pick(r, c) = column(1) == r ? column(c) : NaN
file = data.'ratios.csv'
set title "over time, mean of thresholds 0.1 to 1"
set xlabel "operations per item, from 100 on mixed"
set xtics 0,250
ratios = "2 1 0.5"
plot for [i = 1:3] file using 2:(pick(word(ratios, i) + 0, 3)) with lines lw 2 lc i title "R = ".word(ratios, i), \
  for [i = 1:3] file using 2:(pick(word(ratios, i) + 0, 4)) with lines lw 2 dt 2 lc i title "R = ".word(ratios, i).", with a gap"
file = data.'thresholds.csv'
set key at screen 0.99, 0.45 right top vertical Left reverse samplen 1.5
set xlabel "lambda"
set xtics 0,0.2
ratios = "0.3 0.6 0.7 0.8 0.9"
do for [c = 3:4] {
  set title (c == 3 ? "after the fill, as published" : "after the fill, with a gap")
  set yrange [0:(c == 3 ? 32 : 10)]
  plot for [i = 1:5] file using 2:(pick(word(ratios, i) + 0, c)) with linespoints lw 2 ps 0.5 lc i \
    title "R = ".word(ratios, i)
  unset key
}
unset multiplot
