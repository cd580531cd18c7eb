-- +goose Up
-- Results of tools that are too large for a model to read at once.
CREATE TABLE outputs (
  tenant     TEXT NOT NULL,
  session    TEXT NOT NULL,
  ref        TEXT NOT NULL,
  kind       TEXT NOT NULL,
  content    TEXT NOT NULL,
  expires_at BIGINT NOT NULL,
  PRIMARY KEY (tenant, session, ref)
);
CREATE INDEX outputs_expires ON outputs (expires_at);

-- +goose Down
DROP TABLE outputs;
