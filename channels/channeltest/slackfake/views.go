package slackfake

import (
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// trigger exchanges a trigger id, which works once and for 3 s.
func (s *Server) trigger(call fakekit.Call) error {
	id := call.String("trigger_id")
	issued, ok := s.triggers[id]
	switch {
	case !ok:
		return errors.New("invalid_trigger_id")
	case issued.IsZero():
		return errors.New("exchanged_trigger_id")
	case time.Since(issued) > 3*time.Second:
		return errors.New("expired_trigger_id")
	}
	s.triggers[id] = time.Time{}
	return nil
}

func (s *Server) newTrigger() string {
	s.counter++
	id := fmt.Sprintf("%d.%d.fake", time.Now().UnixNano(), s.counter)
	s.triggers[id] = time.Now()
	return id
}

func (s *Server) viewFrom(call fakekit.Call) (fakekit.Object, error) {
	decoded, _ := decode(call.Params["view"])
	view, ok := decoded.(fakekit.Object)
	c := &checker{}
	if ok {
		c.checkView(view)
	}
	if !ok || len(c.errs) > 0 {
		return nil, &apiError{code: "invalid_arguments", messages: c.errs}
	}
	view = maps.Clone(view)
	view["team_id"], view["app_id"], view["bot_id"] = TeamID, AppID, BotID
	view["hash"] = s.newTS()
	if view["state"] == nil {
		view["state"] = fakekit.Object{"values": fakekit.Object{}}
	}
	return view, nil
}

func (s *Server) openView(call fakekit.Call) (fakekit.Object, error) {
	view, err := s.viewFrom(call)
	if err != nil {
		return nil, err
	}
	if err := s.trigger(call); err != nil {
		return nil, err
	}
	return fakekit.Object{"view": s.keepView(view)}, nil
}

func (s *Server) keepView(view fakekit.Object) fakekit.Object {
	id := s.newID("V")
	view["id"] = id
	root := id
	if parent := s.views[s.lastView]; parent != nil {
		view["previous_view_id"] = s.lastView
	}
	view["root_view_id"] = root
	s.views[id], s.lastView = view, id
	return view
}

func (s *Server) updateView(call fakekit.Call) (fakekit.Object, error) {
	id := call.String("view_id")
	if external := call.String("external_id"); external != "" {
		for k, v := range s.views {
			if v["external_id"] == external {
				id = k
			}
		}
	}
	old := s.views[id]
	if old == nil {
		return nil, errors.New("not_found")
	}
	if hash := call.String("hash"); hash != "" && hash != old["hash"] {
		return nil, errors.New("hash_conflict")
	}
	view, err := s.viewFrom(call)
	if err != nil {
		return nil, err
	}
	view["id"], view["root_view_id"] = id, old["root_view_id"]
	s.views[id] = view
	return fakekit.Object{"view": view}, nil
}

func (s *Server) publishView(call fakekit.Call) (fakekit.Object, error) {
	view, err := s.viewFrom(call)
	if err != nil {
		return nil, err
	}
	user := call.String("user_id")
	if s.users[user] == nil {
		return nil, errUserNotFound
	}
	if old := s.home[user]; old != nil && call.String("hash") != "" && call.String("hash") != old["hash"] {
		return nil, errors.New("hash_conflict")
	}
	view["id"] = "VHOME" + user
	s.home[user] = view
	return fakekit.Object{"view": view}, nil
}

func (s *Server) assistantThread(call fakekit.Call) (fakekit.Object, error) {
	if s.channels[call.String("channel_id")] == nil {
		return nil, errChannelNotFound
	}
	return nil, nil
}

func (s *Server) setStatus(call fakekit.Call) (fakekit.Object, error) {
	if _, err := s.assistantThread(call); err != nil {
		return nil, err
	}
	c := s.channels[call.String("channel_id")]
	if c.find(call.String("thread_ts")) < 0 {
		return nil, errors.New("invalid_thread_ts")
	}
	s.status[c.ID+call.String("thread_ts")] = call.String("status")
	return nil, nil
}
