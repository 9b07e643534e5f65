package loaf

import "testing"

func TestHalfIsLeftAfterTheHalfLife(t *testing.T) {
	if WaterLeft(44, 6.5) != 22 {
		t.Fail()
	}
}
