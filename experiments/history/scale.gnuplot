set terminal svg size 1300,460 font 'sans,13' background '#ffffff'
set multiplot layout 1,4 margins 0.06, 0.83, 0.15, 0.85 spacing 0.055, 0 title "Bits for an error of 5 % on Network-sized data, |q| = 128 s (figure 15)"
set ylabel "million bits"
@legend_right
array names[4] = ["single", "level optimal", "level planned", "timeline"]
array shades[4] = ["#000000", "#1f78b4", "#e6ab02", "#e7298a"]
pick(s, m) = stringcolumn(1) eq s && stringcolumn(2) eq "same time" && stringcolumn(6) eq m ? \
  column(7) / 1e6 : NaN
array sets[2] = ["network dense", "network bursty"]
do for [i = 1:2] {
  s = sets[i]
  set logscale xy
  set xlabel "ticks per second"
  set xrange [0.7:1400]
  set yrange [1:3000]
  if (i > 1) { unset ylabel }
  set title s
  file = data.'ticks.csv'
  plot for [j = 1:4] file using 3:(pick(s, names[j])) with linespoints lw 2 lc rgb shades[j] \
    title names[j]
  unset logscale
  unset ylabel
  set xlabel "days"
  set xrange [0.5:7.5]
  set yrange [0:*]
  file = data.'days.csv'
  plot for [j = 1:4] file using 3:(pick(s, names[j])) with linespoints lw 2 lc rgb shades[j] \
    title names[j]
  unset key
}
unset multiplot
