-- +goose Up
-- Which agents plan in which sessions: they change nothing meanwhile.
CREATE TABLE plan_modes (
  tenant  TEXT NOT NULL,
  session TEXT NOT NULL,
  agent   TEXT NOT NULL,
  since   INTEGER NOT NULL,
  PRIMARY KEY (tenant, session, agent)
);

-- +goose Down
DROP TABLE plan_modes;
