package store_test

import (
	"testing"

	"github.com/leadhand/leadhand/bot/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }
