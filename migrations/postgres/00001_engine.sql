-- +goose Up
CREATE TABLE lanes (
  kind        TEXT    NOT NULL,
  id          TEXT    NOT NULL,
  pool        TEXT    NOT NULL,
  last_seq    BIGINT NOT NULL DEFAULT 0,
  done_seq    BIGINT NOT NULL DEFAULT 0,
  lease_owner TEXT    NOT NULL DEFAULT '',
  lease_until BIGINT NOT NULL DEFAULT 0,
  fence       BIGINT NOT NULL DEFAULT 0,
  attempts    BIGINT NOT NULL DEFAULT 0,
  not_before  BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (kind, id)
);
-- Few rows match "last_seq > done_seq", but the planner guesses a third: workers would take longer than the scan.
ALTER TABLE lanes SET (parallel_workers = 0);
CREATE INDEX lanes_ready ON lanes (kind, lease_until) WHERE last_seq > done_seq;

CREATE TABLE sessions (
  id         TEXT    NOT NULL PRIMARY KEY,
  tenant     TEXT    NOT NULL,
  agent      TEXT    NOT NULL,
  channel    TEXT    NOT NULL,
  chat       TEXT    NOT NULL,
  topic      TEXT    NOT NULL,
  created_at BIGINT NOT NULL,
  ended_at   BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX sessions_place ON sessions (tenant, channel, chat, topic);
CREATE UNIQUE INDEX sessions_current ON sessions (tenant, agent, channel, chat, topic) WHERE ended_at = 0;

CREATE TABLE inbox (
  session     TEXT    NOT NULL,
  seq         BIGINT NOT NULL,
  tenant      TEXT    NOT NULL,
  channel     TEXT    NOT NULL,
  event_key   TEXT    NOT NULL,
  payload     TEXT    NOT NULL,
  received_at BIGINT NOT NULL,
  done_at     BIGINT NOT NULL DEFAULT 0,
  outcome     TEXT    NOT NULL DEFAULT '',
  stopped     BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (session, seq)
);
CREATE UNIQUE INDEX inbox_event ON inbox (channel, event_key);
CREATE INDEX inbox_done ON inbox (done_at) WHERE done_at > 0;

CREATE TABLE history (
  session TEXT    NOT NULL,
  seq     BIGINT NOT NULL,
  tenant  TEXT    NOT NULL,
  turn    BIGINT NOT NULL,
  source  BIGINT NOT NULL DEFAULT 0,
  kind    TEXT    NOT NULL,
  covers  BIGINT NOT NULL DEFAULT 0,
  step    BIGINT NOT NULL DEFAULT 0,
  files   TEXT    NOT NULL DEFAULT '',
  message TEXT    NOT NULL,
  at      BIGINT NOT NULL,
  PRIMARY KEY (session, seq)
);
CREATE INDEX history_summaries ON history (session, seq) WHERE kind = 'summary';

CREATE TABLE outbox (
  conversation TEXT    NOT NULL,
  seq          BIGINT NOT NULL,
  tenant       TEXT    NOT NULL,
  session      TEXT    NOT NULL DEFAULT '',
  key          TEXT    NOT NULL,
  payload      TEXT    NOT NULL,
  status       BIGINT NOT NULL DEFAULT 0,
  attempts     BIGINT NOT NULL DEFAULT 0,
  created_at   BIGINT NOT NULL,
  sent_at      BIGINT NOT NULL DEFAULT 0,
  message_id   TEXT    NOT NULL DEFAULT '',
  err          TEXT    NOT NULL DEFAULT '',
  PRIMARY KEY (conversation, seq)
);
CREATE UNIQUE INDEX outbox_key ON outbox (key);
CREATE INDEX outbox_sent ON outbox (sent_at) WHERE sent_at > 0;

CREATE TABLE commands (
  channel   TEXT    NOT NULL,
  event_key TEXT    NOT NULL,
  done_at   BIGINT NOT NULL,
  PRIMARY KEY (channel, event_key)
);
CREATE INDEX commands_done ON commands (done_at);

CREATE TABLE leases (
  name       TEXT    NOT NULL PRIMARY KEY,
  owner      TEXT    NOT NULL DEFAULT '',
  fence      BIGINT NOT NULL DEFAULT 0,
  expires_at BIGINT NOT NULL DEFAULT 0
);

CREATE TABLE replicas (
  id        TEXT    NOT NULL PRIMARY KEY,
  process   TEXT    NOT NULL,
  heartbeat BIGINT NOT NULL
);

CREATE TABLE blobs (
  hash       TEXT    NOT NULL PRIMARY KEY,
  size       BIGINT NOT NULL,
  data       BYTEA    NOT NULL,
  created_at BIGINT NOT NULL
);

-- +goose Down
DROP TABLE blobs;
DROP TABLE replicas;
DROP TABLE leases;
DROP TABLE commands;
DROP TABLE outbox;
DROP TABLE history;
DROP TABLE inbox;
DROP TABLE sessions;
DROP TABLE lanes;
