set multiplot layout 1,3 margins 0.08, 0.89, 0.44, 0.83 spacing 0.06, 0 title "Two partitions of 32 768 s joined to one, 50 million bits each (figure 17)"
set logscale y
set format y "%g"
set yrange [1e-5:1]
set ylabel "probability of a wrong maybe"
set style data histograms
set style fill solid 0.7 noborder
set xtics rotate by -50 font ",10"
least(e) = e > 1.2e-5 ? e : 1.2e-5
array sets[3] = ["edgar dense", "edgar bursty", "network diurnal"]
do for [i = 1:3] {
  set title sets[i]
  # What could not be joined has no error after.
  rows = sprintf("< grep '^%s' %smerging.csv | grep -v nan", sets[i], data)
  if (i == 1) { @legend_right } else { unset key; unset ylabel }
  plot rows using (least(column(4))):xtic(stringcolumn(2).", ".stringcolumn(3)) lc rgb "#6baed6" title "before", \
    '' using (least(column(5))) lc rgb "#d95f02" title "after"
}
unset multiplot
