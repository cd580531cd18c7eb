// Package crashtest kills the bot again and again and checks that nothing is lost, doubled or mixed up.
//
// It holds tests only. The test binary starts itself as worker processes that run the real bot (bot/app) on one
// database, with a messenger that consists of pipes and a scripted model. The parent delivers messages as platforms do:
// again and again under the same event key, until one delivery is acknowledged. Workers are killed (SIGKILL), frozen
// (SIGSTOP) and stopped (SIGTERM) at random points. At the end the parent compares what it delivered with what was
// sent, with what the tools did, and with what the database says.
//
// LEADHAND_TEST_KILLS sets how often a worker is killed for each dialect; LEADHAND_TEST_SEED repeats a run's choices.
package crashtest
