// Package access decides who may talk to the bot, and in which role. It fails closed.
//
// A [Person] has accounts on messengers, each identified by its channel and the platform's immutable id, and one role.
// [Gate] tells who sent a message. Strangers ask to be let in ([Codes].Ask), the first owner comes with a code of the
// command line, and a code joins one person's accounts.
package access
