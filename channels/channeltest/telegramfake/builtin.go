package telegramfake

import (
	"slices"
	"strings"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// What the fake has to know of the Bot API when there is no description of it
// to ask: which methods without a behaviour of their own return what.
const (
	messageMethods = `
	sendAnimation sendAudio sendChecklist sendContact sendDice sendDocument sendGame sendInvoice sendLivePhoto
	sendLocation sendMessage sendPaidMedia sendPhoto sendPoll sendRichMessage sendSticker sendVenue sendVideo
	sendVideoNote sendVoice`
	trueMethods = `
	addStickerToSet answerChatJoinRequestQuery answerInlineQuery answerPreCheckoutQuery answerShippingQuery
	approveChatJoinRequest approveSuggestedPost banChatMember banChatSenderChat close convertGiftToStars
	createNewStickerSet declineChatJoinRequest declineSuggestedPost deleteAllMessageReactions deleteBusinessMessages
	deleteChatPhoto deleteChatStickerSet deleteMessageReaction deleteStickerFromSet deleteStickerSet deleteStory
	editMessageLiveLocation editMessageMedia editUserStarSubscription giftPremiumSubscription leaveChat logOut
	promoteChatMember readBusinessMessage refundStarPayment removeBusinessAccountProfilePhoto removeChatVerification
	removeMyProfilePhoto removeUserVerification replaceStickerInSet restrictChatMember sendChatJoinRequestWebApp
	sendGift sendRichMessageDraft setBusinessAccountBio setBusinessAccountGiftSettings setBusinessAccountName
	setBusinessAccountProfilePhoto setBusinessAccountUsername setChatAdministratorCustomTitle setChatDescription
	setChatMemberTag setChatMenuButton setChatPermissions setChatPhoto setChatStickerSet setChatTitle
	setCustomEmojiStickerSetThumbnail setGameScore setManagedBotAccessSettings setMyDefaultAdministratorRights
	setMyDescription setMyName setMyProfilePhoto setMyShortDescription setPassportDataErrors setStickerEmojiList
	setStickerKeywords setStickerMaskPosition setStickerPositionInSet setStickerSetThumbnail setStickerSetTitle
	setUserEmojiStatus stopMessageLiveLocation transferBusinessAccountStars transferGift unbanChatMember
	unbanChatSenderChat unpinAllChatMessages unpinAllGeneralForumTopicMessages unpinChatMessage upgradeGift
	verifyChat verifyUser`
	adminRights = `
	can_change_info can_delete_messages can_delete_stories can_edit_stories can_invite_users can_manage_chat
	can_manage_video_chats can_post_stories can_promote_members can_restrict_members is_anonymous`
)

// methodNames returns the names of all methods that the fake knows of.
func (s *Server) methodNames() []string {
	var names []string
	if s.spec != nil {
		for name := range s.spec.Methods {
			names = append(names, name)
		}
		return names
	}
	names = append(strings.Fields(messageMethods), strings.Fields(trueMethods)...)
	names = append(names, "getUpdates")
	for name := range s.methods {
		names = append(names, name)
	}
	return names
}

// returnTypes returns what a method answers with, as far as the fake can tell.
func (s *Server) returnTypes(method string) []string {
	if s.spec != nil {
		if m := s.spec.Methods[method]; m != nil {
			return m.Returns
		}
		return nil
	}
	switch {
	case slices.Contains(strings.Fields(messageMethods), method):
		return []string{"Message"}
	case slices.Contains(strings.Fields(trueMethods), method):
		return []string{"Boolean"}
	}
	return nil
}

// admin returns the bot as an administrator with every right.
func (s *Server) admin() fakekit.Object {
	rights := strings.Fields(adminRights)
	if s.spec != nil {
		rights = nil
		for _, f := range s.spec.Types["ChatMemberAdministrator"].Fields {
			if f.Required && f.Types[0] == "Boolean" && f.Name != "can_be_edited" {
				rights = append(rights, f.Name)
			}
		}
	}
	admin := fakekit.Object{"status": "administrator", "user": s.Bot, "can_be_edited": false, "can_manage_topics": true}
	for _, right := range rights {
		admin[right] = right != "is_anonymous"
	}
	return admin
}

// builtinField describes a parameter whose limits the fake knows itself, in the
// words of the API description; nil for others.
func builtinField(method, name string) *field {
	text := func(limits string) *field {
		return &field{Name: name, Types: []string{"String"}, Description: limits}
	}
	switch name {
	case "text":
		if method == "sendMessage" || method == "editMessageText" {
			return text("1-4096 characters after entities parsing")
		}
	case "caption":
		return text("0-1024 characters after entities parsing")
	case "name":
		if method == "createForumTopic" {
			return text("1-128 characters")
		}
	case "callback_data":
		return text("1-64 bytes")
	case "message_thread_id", "message_id":
		return &field{Name: name, Types: []string{"Integer"}}
	}
	return nil
}

// checkBuiltin validates the parameters of a call as far as the fake can
// without an API description.
func (c *checker) checkBuiltin(call *fakekit.Call) {
	for name, v := range call.Params {
		if f := builtinField(call.Method, name); f != nil {
			c.checkParam(name, f, v, call.Params)
		}
	}
	var markup struct {
		Rows [][]fakekit.Object `json:"inline_keyboard"`
	}
	if !call.Has("reply_markup") || call.JSON("reply_markup", &markup) != nil {
		return
	}
	for _, row := range markup.Rows {
		for _, button := range row {
			if data, ok := button["callback_data"]; ok {
				c.checkField("callback_data", builtinField(call.Method, "callback_data"), data, button)
			}
		}
	}
}
