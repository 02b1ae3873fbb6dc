set multiplot layout 1,3 margins 0.07, 0.74, 0.15, 0.83 spacing 0.055, 0 title "Memory of exact answers over the day (figure 14)"
set xlabel "hour"
set ylabel "megabytes"
set logscale y
set yrange [0.05:100]
@legend_right
file = data.'space.csv'
pick(s, m) = stringcolumn(1) eq s && stringcolumn(4) eq m ? column(5) / 8e6 : NaN
array sets[3] = ["edgar bursty", "edgar uniform", "network diurnal"]
do for [i = 1:3] {
  s = sets[i]
  set title s
  plot file using ($2 / 3600):(pick(s, "exact")) with linespoints lw 2 lc rgb "#7570b3" \
      title "sorted ticks", \
    file using ($2 / 3600):(pick(s, "timeline")) with linespoints lw 2 lc rgb "#e7298a" \
      title "timeline, sealed", \
    file using ($2 / 3600):(pick(s, "level optimal")) with linespoints lw 2 lc rgb "#1f78b4" \
      title "level, 50 million bits"
  unset key
  unset ylabel
}
unset multiplot
