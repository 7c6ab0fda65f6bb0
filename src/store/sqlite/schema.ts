/** Marks the file as ours among SQLite files ("Svc1"). */
export const applicationId = 0x53766331;

/** Entry n brings the schema from version n to n + 1 (`PRAGMA user_version`); entries are only ever added. */
export const migrations = [
  `
  -- Every version of every object that is still current or recent enough to page through and watch from.
  CREATE TABLE versions (
    rv        INTEGER PRIMARY KEY,           -- the resourceVersion
    ended     INTEGER,                       -- the rv that replaced it; its own for a deletion; NULL while current
    change    TEXT NOT NULL CHECK (change IN ('ADDED', 'MODIFIED', 'DELETED')),
    kind      TEXT NOT NULL,
    namespace TEXT NOT NULL,
    name      TEXT NOT NULL,
    uid       TEXT NOT NULL,
    object    TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX current_by_name ON versions (kind, namespace, name) WHERE ended IS NULL;
  CREATE UNIQUE INDEX current_by_uid ON versions (uid) WHERE ended IS NULL;
  CREATE INDEX current_by_product ON versions (kind, namespace, object -> '$."spec"."product"', name)
    WHERE ended IS NULL AND object -> '$."spec"."product"' IS NOT NULL;
  CREATE INDEX history_by_name ON versions (kind, namespace, name, rv, ended);
  CREATE INDEX history_by_end ON versions (ended) WHERE ended IS NOT NULL;

  -- Who is owned by whom, for the objects that are current.
  CREATE TABLE owned (
    owner TEXT NOT NULL,
    uid   TEXT NOT NULL,
    PRIMARY KEY (owner, uid)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX owned_by_uid ON owned (uid);
  `,
  `
  -- What turns are judged by where money is limited: before each, and with thousands of ledgers of other runs.
  CREATE INDEX current_by_run ON versions (kind, namespace, object -> '$."spec"."run"', name)
    WHERE ended IS NULL AND object -> '$."spec"."run"' IS NOT NULL;
  CREATE INDEX current_by_day ON versions (kind, namespace, object -> '$."spec"."day"', name)
    WHERE ended IS NULL AND object -> '$."spec"."day"' IS NOT NULL;
  `,
  `
  -- Whether a target has had its share of runs: asked for before every start.
  CREATE INDEX current_by_target ON versions
    (kind, namespace, object -> '$."spec"."target"."repo"', name, object -> '$."spec"."target"."number"')
    WHERE ended IS NULL AND object -> '$."spec"."target"."repo"' IS NOT NULL;
  CREATE INDEX current_by_phase ON versions (kind, namespace, object -> '$."status"."phase"', name)
    WHERE ended IS NULL AND object -> '$."status"."phase"' IS NOT NULL;
  `,
];
