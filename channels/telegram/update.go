package telegram

import (
	"encoding/json"
	"errors"
	"fmt"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"
)

// allowedUpdates are the kinds of updates that are asked for. The server remembers the list, so it is sent always.
const allowedUpdates = `["message","edited_message","channel_post","edited_channel_post","callback_query",` +
	`"my_chat_member"]`

// update is one event. The types here hold what the library's lack, and nothing that is not used.
type update struct {
	ID                int            `json:"update_id"`
	Message           *message       `json:"message"`
	EditedMessage     *message       `json:"edited_message"`
	ChannelPost       *message       `json:"channel_post"`
	EditedChannelPost *message       `json:"edited_channel_post"`
	CallbackQuery     *callbackQuery `json:"callback_query"`
	MyChatMember      *memberChange  `json:"my_chat_member"`
}

type user struct {
	ID        int64  `json:"id"`
	IsBot     bool   `json:"is_bot"`
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name"`
	Username  string `json:"username"`
	ReadsAll  bool   `json:"can_read_all_group_messages"` // of the bot itself
}

type chat struct {
	ID      int64  `json:"id"`
	Type    string `json:"type"`
	Title   string `json:"title"`
	IsForum bool   `json:"is_forum"`

	IsDirectMessages bool `json:"is_direct_messages"`
}

type message struct {
	ID              int    `json:"message_id"`
	From            *user  `json:"from"`
	SenderChat      *chat  `json:"sender_chat"`
	AuthorSignature string `json:"author_signature"`
	Chat            *chat  `json:"chat"`
	Date            int64  `json:"date"`
	EditDate        int64  `json:"edit_date"`

	ThreadID       int      `json:"message_thread_id"`
	IsTopicMessage bool     `json:"is_topic_message"`
	ReplyTo        *message `json:"reply_to_message"`
	Quote          quote    `json:"quote"`
	ExternalReply  *outside `json:"external_reply"`
	ForwardOrigin  *origin  `json:"forward_origin"`
	MediaGroupID   string   `json:"media_group_id"`

	Text            string   `json:"text"`
	Entities        entities `json:"entities"`
	Caption         string   `json:"caption"`
	CaptionEntities entities `json:"caption_entities"`
	ReplyMarkup     markup   `json:"reply_markup"`
	media
	service
}

// markup are the buttons of a message.
type markup struct {
	Rows [][]pressable `json:"inline_keyboard"`
}

type entities []tgbotapi.MessageEntity

// media are the parts of a message that are no text.
type media struct {
	Photo     []file    `json:"photo"` // one picture in several sizes
	Document  *file     `json:"document"`
	Animation *file     `json:"animation"` // comes with a document that is the same
	Audio     *file     `json:"audio"`
	Voice     *file     `json:"voice"`
	Video     *file     `json:"video"`
	VideoNote *file     `json:"video_note"`
	Sticker   *file     `json:"sticker"`
	Contact   *contact  `json:"contact"`
	Location  *location `json:"location"`
	Venue     *venue    `json:"venue"`
	Poll      *poll     `json:"poll"`
	Dice      *dice     `json:"dice"`

	// Kinds that can't be read: it is told that they came.
	Story     *struct{} `json:"story"`
	PaidMedia *struct{} `json:"paid_media"`
	Checklist *struct{} `json:"checklist"`
	Game      *struct{} `json:"game"`
	Gift      *struct{} `json:"gift"`
	Rich      *struct{} `json:"rich_message"`
}

// service is what a message of the platform itself tells.
type service struct {
	TopicCreated    *topic `json:"forum_topic_created"`
	TopicEdited     *topic `json:"forum_topic_edited"`
	MigrateToChat   int64  `json:"migrate_to_chat_id"`
	MigrateFromChat int64  `json:"migrate_from_chat_id"`
}

type topic struct {
	Name string `json:"name"`
}

type quote struct {
	Text string `json:"text"`
}

// outside is a message of another chat or topic that is answered.
type outside struct {
	Origin origin `json:"origin"`
	ID     int    `json:"message_id"`
}

// origin is where a forwarded message comes from.
type origin struct {
	SenderUser     *user  `json:"sender_user"`
	SenderUserName string `json:"sender_user_name"`
	SenderChat     *chat  `json:"sender_chat"`
	Chat           *chat  `json:"chat"`
}

type file struct {
	ID       string `json:"file_id"`
	UniqueID string `json:"file_unique_id"`
	Name     string `json:"file_name"`
	MimeType string `json:"mime_type"`
	Size     int64  `json:"file_size"`
	Emoji    string `json:"emoji"` // of a sticker
	Width    int    `json:"width"`
	Height   int    `json:"height"`

	IsAnimated bool `json:"is_animated"`
	IsVideo    bool `json:"is_video"`
}

type contact struct {
	PhoneNumber string `json:"phone_number"`
	FirstName   string `json:"first_name"`
	LastName    string `json:"last_name"`
}

type location struct {
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
}

type venue struct {
	Location location `json:"location"`
	Title    string   `json:"title"`
	Address  string   `json:"address"`
}

type poll struct {
	Question string `json:"question"`
	Options  []struct {
		Text string `json:"text"`
	} `json:"options"`
}

type dice struct {
	Emoji string `json:"emoji"`
	Value int    `json:"value"`
}

type callbackQuery struct {
	ID      string   `json:"id"`
	From    user     `json:"from"`
	Message *message `json:"message"` // only ids when the message is old
	Data    string   `json:"data"`
}

// unplaced tells that the message can't be looked at any more, so that nobody knows in which topic it stands.
func (q *callbackQuery) unplaced() bool {
	return q.Message.Date == 0 && (q.Message.Chat.IsForum || q.Message.Chat.Type == "private")
}

type memberChange struct {
	Chat      chat       `json:"chat"`
	From      user       `json:"from"`
	OldMember membership `json:"old_chat_member"`
	NewMember membership `json:"new_chat_member"`
}

type membership struct {
	Status   string `json:"status"`
	IsMember bool   `json:"is_member"` // of one that is restricted
}

// in tells whether it is one that takes part in the chat.
func (m membership) in() bool {
	return m.Status == "member" || m.Status == "administrator" || m.Status == "creator" || m.IsMember
}

// decode reads one update. When it fails after the id was read, the id is returned all the same, so that the update can
// be confirmed; it is 0 when there is none.
func decode(raw []byte) (*update, error) {
	u := new(update)
	err := json.Unmarshal(raw, u)
	if err == nil && u.ID == 0 {
		err = errNoID
	}
	if err == nil {
		return u, u.check()
	}
	var envelope struct {
		ID int `json:"update_id"`
	}
	if json.Unmarshal(raw, &envelope) != nil {
		envelope.ID = 0
	}
	return &update{ID: envelope.ID}, fmt.Errorf("decode update %d: %w", envelope.ID, err)
}

var errNoID = errors.New("it has no update_id")

// check makes sure that what the rest relies on is there.
func (u *update) check() error {
	for _, m := range []*message{u.Message, u.EditedMessage, u.ChannelPost, u.EditedChannelPost} {
		if m != nil && (m.Chat == nil || m.ID == 0) {
			return fmt.Errorf("decode update %d: a message without chat or id", u.ID)
		}
	}
	if q := u.CallbackQuery; q != nil && q.Message != nil && q.Message.Chat == nil {
		return fmt.Errorf("decode update %d: a button of a message without chat", u.ID)
	}
	return nil
}

// chat is the chat in which something happened, 0 when it is none. That a chat gets another id happens in the new one,
// before everything else there.
func (u *update) chat() int64 {
	switch m := u.content(); {
	case m != nil && m.MigrateToChat != 0:
		return m.MigrateToChat
	case m != nil:
		return m.Chat.ID
	case u.CallbackQuery != nil && u.CallbackQuery.Message != nil:
		return u.CallbackQuery.Message.Chat.ID
	case u.MyChatMember != nil:
		return u.MyChatMember.Chat.ID
	}
	return 0
}

// content is the message that was written or changed.
func (u *update) content() *message {
	for _, m := range []*message{u.Message, u.EditedMessage, u.ChannelPost, u.EditedChannelPost} {
		if m != nil {
			return m
		}
	}
	return nil
}
