// Package bot takes messages in, works turns, and puts replies out.
//
// A message comes from a channel adapter to [Router.Handle], which cleans it, asks whether its sender may talk, finds
// the session, and stores it in the inbox; then the adapter acknowledges it to its platform. The inbox gives each
// message to [Turns.Handle]: that runs the agent, shows progress, and returns what the turn ends with. History, inbox
// and outbox change in one transaction. The outbox delivers.
//
// What people in a group say to each other is kept for the next message that is for the bot. [Signs] show that a
// message waits, and a turn shows its progress: nothing is silent for long.
//
// The parts are in subfolders: lane (ordered queues in the database), inbox and outbox (the two kinds of lanes), store
// (all GORM code), job (timed and background work), access (who may talk), place (when the bot answers where), web
// (HTTP), app (the composition root).
package bot
