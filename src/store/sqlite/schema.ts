/** The application id ("Svc1") distinguishes this file from databases of other programs. */
export const applicationId = 0x53766331;

/** Entry n migrates the schema from version n to n + 1 (`PRAGMA user_version`). Released entries never change. */
export const migrations = [
  `
  -- Holds every version of every object that is current, or recent enough for pages and watches.
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

  -- Maps the current objects to their owners.
  CREATE TABLE owned (
    owner TEXT NOT NULL,
    uid   TEXT NOT NULL,
    PRIMARY KEY (owner, uid)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX owned_by_uid ON owned (uid);
  `,
  `
  -- Budgets are checked before each turn, among thousands of usage records of other runs.
  CREATE INDEX current_by_run ON versions (kind, namespace, object -> '$."spec"."run"', name)
    WHERE ended IS NULL AND object -> '$."spec"."run"' IS NOT NULL;
  CREATE INDEX current_by_day ON versions (kind, namespace, object -> '$."spec"."day"', name)
    WHERE ended IS NULL AND object -> '$."spec"."day"' IS NOT NULL;
  `,
  `
  -- The number of runs for a target is checked before every start.
  CREATE INDEX current_by_target ON versions
    (kind, namespace, object -> '$."spec"."target"."repo"', name, object -> '$."spec"."target"."number"')
    WHERE ended IS NULL AND object -> '$."spec"."target"."repo"' IS NOT NULL;
  CREATE INDEX current_by_phase ON versions (kind, namespace, object -> '$."status"."phase"', name)
    WHERE ended IS NULL AND object -> '$."status"."phase"' IS NOT NULL;
  `,
  `
  -- Every message about an alert finds the incident of its earlier episode.
  CREATE INDEX current_by_fingerprint ON versions (kind, namespace, object -> '$."spec"."alert"."fingerprint"', name)
    WHERE ended IS NULL AND object -> '$."spec"."alert"."fingerprint"' IS NOT NULL;
  `,
];
