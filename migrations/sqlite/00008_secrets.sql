-- +goose Up
CREATE TABLE secrets (
  tenant TEXT NOT NULL,
  name   TEXT NOT NULL,
  key    TEXT NOT NULL,
  sealed BLOB NOT NULL,
  set_by TEXT NOT NULL,
  set_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, name)
);

-- +goose Down
DROP TABLE secrets;
