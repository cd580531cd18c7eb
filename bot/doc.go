// Package bot takes messages in, works turns, and puts replies out.
//
// A message comes from a channel adapter to [Router.Handle], which cleans it, asks who its sender is, finds the
// session, and stores it in the inbox; then the adapter acknowledges it to its platform. The inbox gives each message
// to [Turns.Handle]: that runs the agent, shows progress, and returns what the turn ends with. History, inbox and
// outbox change in one transaction. The outbox delivers.
//
// Words that the program itself understands ([Verbs], "stop", "tools why exec") are done at once, without a turn. A
// button is kept as a row of which a messenger knows a token; pressing it is giving its command, if the row's guard and
// the presser's role let it. Strangers ask to be let in, and admins decide on a card.
//
// What people in a group say to each other is kept for the next message that is for the bot. [Signs] show that a
// message waits, and a turn shows its progress: nothing is silent for long. Two bots that answer each other end soon.
//
// The parts are in subfolders: lane (ordered queues in the database), inbox and outbox (the two kinds of lanes), store
// (all GORM code), job (timed and background work), access (people and roles), place (what is set where, and its
// tools and skills), secret (values that are sealed in the database), audit (what was done in whose name), command (the
// verbs), web (HTTP), app (the composition root).
package bot
