set multiplot layout 1,2 margins 0.1, 0.8, 0.15, 0.86 spacing 0.11, 0 title "The cost of the end of an epoch, lambda = 0.9"
set logscale y
set format y "%.0s %cs"
@legend_right
set xlabel "adds since the epoch began (1 MiB of counters)"
set ylabel "time of one add"
file = data.'boundary_adds.csv'
pick(f) = stringcolumn(1) eq f ? column(3) * 1e-9 : NaN
set xrange [-20:60]
plot file using 2:(pick("sweep pooled")) with steps lw 2 lc 2 title "optimized, sweep", \
  file using 2:(pick("sweep")) with steps lw 2 lc 1 title "basic, sweep", \
  file using 2:(pick("heat_filter")) with steps lw 2 lc 3 title "heat\\_filter, lazy"
set logscale x
set format x "%.0b %BB"
set xrange [8192:33554432]
set xtics (16384, 65536, 262144, 1048576, 4194304, 16777216)
set xlabel "16-bit counters"
set ylabel "first add of an epoch"
unset key
set yrange [1e-7:0.1]
file = data.'boundary_sizes.csv'
plot file using 2:(pick("sweep pooled")) with linespoints lw 2 lc 2 title "optimized, sweep", \
  file using 2:(pick("sweep")) with linespoints lw 2 lc 1 title "basic, sweep", \
  file using 2:(pick("heat_filter")) with linespoints lw 2 lc 3 title "heat\\_filter, lazy"
unset multiplot
