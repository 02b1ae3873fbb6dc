set multiplot layout 1,2 margins 0.07, 0.83, 0.15, 0.83 spacing 0.08, 0 title "Records, pairs and items so far (figure 7)"
set xlabel "hour"
set ylabel "millions"
@legend_right
file = data.'counts.csv'
pick(s, c) = stringcolumn(1) eq s ? column(c) / 1e6 : NaN
array sets[2] = ["edgar bursty", "network diurnal"]
do for [i = 1:2] {
  s = sets[i]
  set title s
  plot file using ($2 / 3600):(pick(s, 3)) with lines lw 2 title "records", \
    file using ($2 / 3600):(pick(s, 4)) with lines lw 2 title "pairs", \
    file using ($2 / 3600):(pick(s, 5)) with lines lw 2 title "items"
  unset key
  unset ylabel
}
unset multiplot
