// Package loaf says how long a rye loaf keeps its water.
package loaf

import "math"

const halfLifeDays = 6.5

// WaterLeft returns the water, in per cent, that is left after some days.
func WaterLeft(percent, days float64) float64 {
	return percent * math.Pow(0.5, days/halfLifeDays)
}
