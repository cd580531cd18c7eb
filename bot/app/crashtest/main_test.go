package crashtest_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/leadhand/leadhand/bot/store/storetest"
)

// workerEnv makes this binary a worker; it holds the workerConfig as JSON.
const workerEnv = "LEADHAND_TEST_WORKER"

func TestMain(m *testing.M) {
	if cfg := os.Getenv(workerEnv); cfg != "" {
		os.Exit(workerMain(cfg))
	}
	storetest.Main(m)
}

// number reads a setting from the environment.
func number(t *testing.T, name string, otherwise int) int {
	t.Helper()
	s := os.Getenv(name)
	if s == "" {
		return otherwise
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// dice gives the random choices of a test; what it logs is needed to repeat them.
func dice(t *testing.T) *rand.Rand {
	t.Helper()
	seed := number(t, "LEADHAND_TEST_SEED", int(time.Now().UnixNano()%1_000_000_007))
	t.Logf("LEADHAND_TEST_SEED=%d", seed)
	return rand.New(rand.NewPCG(uint64(seed), 1))
}

func between(r *rand.Rand, low, high time.Duration) time.Duration {
	return low + time.Duration(r.Int64N(int64(high-low)+1))
}

func chatName(i int) string { return fmt.Sprintf("c%02d", i) }
