package discordfake

// Dispatch sends an arbitrary event to all sessions, whatever their intents.
func (s *Server) Dispatch(event string, d any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ses := range s.sessions {
		ses.dispatch(event, d)
	}
}

// Redeliver sends the last n events again, with the sequence numbers they had.
func (s *Server) Redeliver(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ses := range s.sessions {
		for _, p := range ses.buffer[max(0, len(ses.buffer)-n):] {
			if ses.conn != nil {
				ses.conn.send(p)
			}
		}
	}
}

// Heartbeats returns how many heartbeats have arrived.
func (s *Server) Heartbeats() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.heartbeats
}

// Connected returns how many sessions have a connection.
func (s *Server) Connected() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, ses := range s.sessions {
		if ses.conn != nil {
			n++
		}
	}
	return n
}

func (s *Server) eachConn(f func(*conn)) {
	s.mu.Lock()
	var conns []*conn
	for _, ses := range s.sessions {
		if ses.conn != nil {
			conns = append(conns, ses.conn)
		}
	}
	s.mu.Unlock()
	for _, c := range conns {
		f(c)
	}
}

// RequestReconnect sends opcode 7.
func (s *Server) RequestReconnect() { s.eachConn(func(c *conn) { c.op(opReconnect, nil) }) }

// InvalidateSessions sends opcode 9. Sessions that are not resumable are
// forgotten.
func (s *Server) InvalidateSessions(resumable bool) {
	s.eachConn(func(c *conn) { c.op(opInvalidSession, resumable) })
	if resumable {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions = map[string]*session{}
}

// CloseGateway closes the connections with a code.
func (s *Server) CloseGateway(code int) { s.detachEach(func(c *conn) { c.close(code, "") }) }

// DropGateway closes the TCP connections.
func (s *Server) DropGateway() { s.detachEach((*conn).drop) }

// detachEach is eachConn for connections that end: events that follow are kept
// for resuming.
func (s *Server) detachEach(f func(*conn)) {
	s.mu.Lock()
	var conns []*conn
	for _, ses := range s.sessions {
		if ses.conn != nil {
			conns = append(conns, ses.conn)
			ses.conn = nil
		}
	}
	s.mu.Unlock()
	for _, c := range conns {
		f(c)
	}
}

// PauseHeartbeats stops acknowledging heartbeats, as a zombie connection does.
func (s *Server) PauseHeartbeats(pause bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paused = pause
}

// RefuseResume makes the next resume fail with opcode 9.
func (s *Server) RefuseResume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuseResume = true
}
