/** The tables of the code host; `tables.ts` declares their row types. */
export const schema = `
CREATE TABLE accounts (
  id INTEGER PRIMARY KEY AUTOINCREMENT, login TEXT NOT NULL UNIQUE COLLATE NOCASE, type TEXT NOT NULL, createdAt TEXT NOT NULL
);
CREATE TABLE apps (
  id INTEGER PRIMARY KEY AUTOINCREMENT, slug TEXT NOT NULL UNIQUE COLLATE NOCASE, name TEXT NOT NULL, ownerId INTEGER NOT NULL REFERENCES accounts,
  botId INTEGER NOT NULL REFERENCES accounts, description TEXT NOT NULL, url TEXT NOT NULL, clientId TEXT NOT NULL UNIQUE, publicKey TEXT NOT NULL,
  hookUrl TEXT NOT NULL, hookActive INTEGER NOT NULL, webhookSecret TEXT NOT NULL, permissions TEXT NOT NULL, events TEXT NOT NULL, createdAt TEXT NOT NULL
);
CREATE TABLE manifests (
  id INTEGER PRIMARY KEY AUTOINCREMENT, code TEXT NOT NULL UNIQUE, ownerLogin TEXT NOT NULL, manifest TEXT NOT NULL, createdAt TEXT NOT NULL
);
CREATE TABLE installations (
  id INTEGER PRIMARY KEY AUTOINCREMENT, appId INTEGER NOT NULL REFERENCES apps, accountId INTEGER NOT NULL REFERENCES accounts,
  createdAt TEXT NOT NULL, UNIQUE (appId, accountId)
);
CREATE TABLE installationTokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT, hash TEXT NOT NULL UNIQUE, installationId INTEGER NOT NULL REFERENCES installations,
  permissions TEXT NOT NULL, repositoryIds TEXT, expiresAt TEXT NOT NULL
);
CREATE TABLE people (
  id INTEGER PRIMARY KEY AUTOINCREMENT, accountId INTEGER NOT NULL UNIQUE REFERENCES accounts, passwordHash TEXT NOT NULL, emails TEXT NOT NULL
);
CREATE TABLE teams (
  id INTEGER PRIMARY KEY AUTOINCREMENT, orgId INTEGER NOT NULL REFERENCES accounts, slug TEXT NOT NULL COLLATE NOCASE, UNIQUE (orgId, slug)
);
CREATE TABLE teamMembers (
  id INTEGER PRIMARY KEY AUTOINCREMENT, teamId INTEGER NOT NULL REFERENCES teams, accountId INTEGER NOT NULL REFERENCES accounts, UNIQUE (teamId, accountId)
);
CREATE TABLE orgMembers (
  id INTEGER PRIMARY KEY AUTOINCREMENT, orgId INTEGER NOT NULL REFERENCES accounts, accountId INTEGER NOT NULL REFERENCES accounts, UNIQUE (orgId, accountId)
);
CREATE TABLE oauthClients (
  id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, name TEXT NOT NULL, clientId TEXT NOT NULL UNIQUE, secretHash TEXT NOT NULL, callbackUrls TEXT NOT NULL
);
CREATE TABLE oauthCodes (
  id INTEGER PRIMARY KEY AUTOINCREMENT, hash TEXT NOT NULL UNIQUE, oauthClientId INTEGER NOT NULL REFERENCES oauthClients, accountId INTEGER NOT NULL REFERENCES accounts,
  redirectUri TEXT NOT NULL, scope TEXT NOT NULL, codeChallenge TEXT, expiresAt TEXT NOT NULL
);
CREATE TABLE userTokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT, hash TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, oauthClientId INTEGER NOT NULL REFERENCES oauthClients,
  accountId INTEGER NOT NULL REFERENCES accounts, scope TEXT NOT NULL, expiresAt TEXT
);
CREATE TABLE repositories (
  id INTEGER PRIMARY KEY AUTOINCREMENT, ownerId INTEGER NOT NULL REFERENCES accounts, name TEXT NOT NULL COLLATE NOCASE, private INTEGER NOT NULL,
  description TEXT, defaultBranch TEXT NOT NULL, createdAt TEXT NOT NULL, updatedAt TEXT NOT NULL, pushedAt TEXT NOT NULL,
  preReceiveHooks INTEGER NOT NULL DEFAULT 0, UNIQUE (ownerId, name)
);
CREATE TABLE refs (
  id INTEGER PRIMARY KEY AUTOINCREMENT, repositoryId INTEGER NOT NULL REFERENCES repositories, name TEXT NOT NULL, sha TEXT NOT NULL,
  UNIQUE (repositoryId, name)
);
CREATE TABLE refUpdates (
  id INTEGER PRIMARY KEY AUTOINCREMENT, repositoryId INTEGER NOT NULL REFERENCES repositories, ref TEXT NOT NULL, before TEXT NOT NULL,
  after TEXT NOT NULL, kind TEXT NOT NULL, actorId INTEGER NOT NULL REFERENCES accounts, createdAt TEXT NOT NULL
);
CREATE INDEX refUpdatesByRef ON refUpdates (repositoryId, ref);
CREATE TABLE branchRules (
  id INTEGER PRIMARY KEY AUTOINCREMENT, repositoryId INTEGER NOT NULL REFERENCES repositories, name TEXT NOT NULL, source TEXT NOT NULL,
  requiredChecks TEXT NOT NULL, strict INTEGER NOT NULL, requiredReviews INTEGER NOT NULL, dismissStale INTEGER NOT NULL,
  enforceAdmins INTEGER NOT NULL, UNIQUE (repositoryId, name, source)
);
CREATE TABLE checks (
  id INTEGER PRIMARY KEY AUTOINCREMENT, repositoryId INTEGER NOT NULL REFERENCES repositories, sha TEXT NOT NULL, kind TEXT NOT NULL,
  name TEXT NOT NULL, state TEXT NOT NULL, description TEXT, url TEXT, createdAt TEXT NOT NULL
);
CREATE INDEX checksByCommit ON checks (repositoryId, sha);
CREATE TABLE issues (
  id INTEGER PRIMARY KEY AUTOINCREMENT, repositoryId INTEGER NOT NULL REFERENCES repositories, number INTEGER NOT NULL, title TEXT NOT NULL, body TEXT,
  state TEXT NOT NULL, stateReason TEXT, authorId INTEGER NOT NULL REFERENCES accounts, closedById INTEGER REFERENCES accounts,
  createdAt TEXT NOT NULL, updatedAt TEXT NOT NULL, closedAt TEXT, UNIQUE (repositoryId, number)
);
CREATE TABLE pulls (
  id INTEGER PRIMARY KEY AUTOINCREMENT, issueId INTEGER NOT NULL UNIQUE REFERENCES issues, headRef TEXT NOT NULL, headSha TEXT NOT NULL,
  baseRef TEXT NOT NULL, baseSha TEXT NOT NULL, draft INTEGER NOT NULL, commits INTEGER NOT NULL, additions INTEGER NOT NULL, deletions INTEGER NOT NULL,
  changedFiles INTEGER NOT NULL, mergeable INTEGER, checkedHead TEXT, checkedBase TEXT, behind INTEGER, testMergeSha TEXT,
  pendingMergeSha TEXT, pendingMergeById INTEGER REFERENCES accounts, mergedAt TEXT, mergedById INTEGER REFERENCES accounts, mergeSha TEXT
);
CREATE TABLE labels (
  id INTEGER PRIMARY KEY AUTOINCREMENT, repositoryId INTEGER NOT NULL REFERENCES repositories, name TEXT NOT NULL COLLATE NOCASE, color TEXT NOT NULL,
  description TEXT, UNIQUE (repositoryId, name)
);
CREATE TABLE issueLabels (
  id INTEGER PRIMARY KEY AUTOINCREMENT, issueId INTEGER NOT NULL REFERENCES issues, labelId INTEGER NOT NULL REFERENCES labels, UNIQUE (issueId, labelId)
);
CREATE TABLE issueEvents (
  id INTEGER PRIMARY KEY AUTOINCREMENT, issueId INTEGER NOT NULL REFERENCES issues, event TEXT NOT NULL, actorId INTEGER NOT NULL REFERENCES accounts,
  label TEXT, createdAt TEXT NOT NULL
);
CREATE TABLE comments (
  id INTEGER PRIMARY KEY AUTOINCREMENT, issueId INTEGER NOT NULL REFERENCES issues, authorId INTEGER NOT NULL REFERENCES accounts, body TEXT NOT NULL,
  createdAt TEXT NOT NULL, updatedAt TEXT NOT NULL
);
CREATE INDEX commentsByIssue ON comments (issueId);
CREATE TABLE reviews (
  id INTEGER PRIMARY KEY AUTOINCREMENT, pullId INTEGER NOT NULL REFERENCES pulls, authorId INTEGER NOT NULL REFERENCES accounts, body TEXT NOT NULL,
  state TEXT NOT NULL, commitSha TEXT NOT NULL, submittedAt TEXT NOT NULL
);
CREATE TABLE releases (
  id INTEGER PRIMARY KEY AUTOINCREMENT, repositoryId INTEGER NOT NULL REFERENCES repositories, tagName TEXT NOT NULL, target TEXT NOT NULL,
  name TEXT, body TEXT, draft INTEGER NOT NULL, prerelease INTEGER NOT NULL, authorId INTEGER NOT NULL REFERENCES accounts,
  createdAt TEXT NOT NULL, publishedAt TEXT
);
CREATE UNIQUE INDEX oneReleasePerTag ON releases (repositoryId, tagName) WHERE draft = 0;
CREATE TABLE deliveries (
  id INTEGER PRIMARY KEY AUTOINCREMENT, guid TEXT NOT NULL, appId INTEGER NOT NULL REFERENCES apps, installationId INTEGER NOT NULL, repositoryId INTEGER NOT NULL,
  event TEXT NOT NULL, action TEXT, payload TEXT NOT NULL, redelivery INTEGER NOT NULL, deliveredAt TEXT NOT NULL, durationMs INTEGER,
  url TEXT, requestHeaders TEXT, status TEXT, statusCode INTEGER, responseHeaders TEXT, responseBody TEXT
);
CREATE INDEX pendingDeliveries ON deliveries (id) WHERE status IS NULL;
`;
