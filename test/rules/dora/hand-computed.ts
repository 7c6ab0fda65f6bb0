import { defined } from '../../../src/defined.ts';
import type { RunStatus } from '../../../src/rules/changes/kinds.ts';
import type { IncidentSpec, IncidentStatus } from '../../../src/rules/incidents/kinds.ts';
import type { PromotionSpec, PromotionStatus } from '../../../src/rules/promotions/kinds.ts';
import type { ReleaseStatus } from '../../../src/rules/releases/kinds.ts';

/** The tables are of the year 2026, in UTC; `-` is no value. The window is the 30 days from 10-26 through 11-24. */
export const now = new Date('2026-11-24T12:00:00Z');

// The run of each Change with its Release, and when each started. The lead time in hours is worked out by hand from
// the merge (or the start, by hand) to the first time that this or a newer version of the repo is healthy in `prod`.
const releaseTable = `
version  run  merged          started         repo  lead  edge
v1.0.0   c1   09-28T08:00     09-28T08:01     shop  2     before the window
v1.1.0   c2   09-30T08:00     09-30T08:01     shop  4
v1.2.0   c3   10-02T08:00     10-02T08:01     shop  6
v1.3.0   c4   10-05T08:00     10-05T08:01     shop  8     failed in prod, and healthy when promoted again
v1.4.0   c5   10-08T08:00     10-08T08:01     shop  10
v1.5.0   c6   10-12T08:00     10-12T08:01     shop  12
v1.6.0   c7   10-25T09:59:59  10-25T10:01     shop  14    healthy in the last second before the window
v2.0.0   c8   10-25T22:00     10-25T22:01     shop  2     healthy in the first moment of the window
v2.1.0   c9   10-27T08:00     10-27T08:01     shop  4     superseded: v2.2.0 carried it
v2.2.0   c10  10-27T09:00     10-27T09:01     shop  3
v2.3.0   c11  10-28T08:00     10-28T08:01     shop  26    rejected: v2.4.0 carried it
v2.4.0   c12  10-29T08:00     10-29T08:01     shop  2
v2.5.0   c13  10-30T08:00     10-30T08:01     shop  5     cancelled: v2.6.0 carried it
v2.6.0   c14  10-30T10:00     10-30T10:01     shop  3
v2.7.0   c15  10-31T08:00     10-31T08:01     shop  3     failed in prod, and healthy when retried
v2.8.0   c16  11-01T08:00     11-01T08:01     shop  2     rolled back, released again: counts once
v2.9.0   c17  11-02T08:00     11-02T08:01     shop  1
v2.10.0  c18  11-04T08:00     11-04T08:01     shop  2
v2.11.0  c19  11-06T08:00     11-06T08:01     shop  6
v2.12.0  c20  11-07T08:00     11-07T08:01     shop  1.5
v2.13.0  c21  11-08T08:00     11-08T08:01     shop  1
v2.14.0  c22  11-08T10:00     11-08T10:01     shop  1
v2.15.0  c23  11-09T08:00     11-09T08:01     shop  4
v2.16.0  -    -               11-10T08:00     shop  0.75  by hand: from its own start
v2.17.0  -    -               11-11T08:00     shop  -     by hand, but its commit is the merge of c24
v2.18.0  -    -               11-12T08:00     shop  -     by hand, but it carries c25 and c26
v2.19.0  c27  11-13T08:00     11-13T08:01     shop  6     its build failed: v2.20.0 carried it
v2.20.0  c28  11-13T12:00     11-13T12:01     shop  2
v2.21.0  c29  11-14T08:00     11-14T08:01     shop  12
v2.22.0  -    -               11-15T08:00     shop  10    by hand, started again at 17:00: from the first start
v2.23.0  c30  11-16T08:00     11-16T08:01     shop  1     cancelled after it was healthy
v2.24.0  c31  11-17T08:00     11-17T08:01     shop  28    held after a rollback: v2.25.0 carried it
v2.25.0  c32  11-18T08:00     11-18T08:01     shop  4
v2.26.0  c33  11-19T08:00:05  11-19T07:59:00  shop  0     the clock of the code host is ahead
v2.27.0  c34  11-20T08:00     11-20T08:01     api   -     rejected, and v2.28.0 is of another repo
v2.28.0  c35  11-20T10:00     11-20T10:01     shop  2
v2.29.0  c36  11-24T08:00     11-24T08:01     shop  -     still waits for approval
`;

// Changes whose merge did not start a Release.
const changeTable = `
run  merged       commit   lead  edge
c24  11-11T07:00  k2.17.0  2     its merge commit was released by hand
c25  11-12T06:00  other    4     the next Release of the repo carried it
c26  11-12T07:00  other    3     the next Release of the repo carried it
`;

// Each row without a note is one deployment that is healthy and not failed. Every Release also went to rc, which is
// no release zone, unless its build failed.
const promotionTable = `
name  version  trigger   phase               healthy         finished        edge
p1    v1.0.0   release   Verified            09-28T10:00     09-28T10:01     
p2    v1.1.0   release   Verified            09-30T12:00     09-30T12:01     
p3    v1.2.0   release   Verified            10-02T14:00     10-02T14:01     
p4    v1.3.0   release   Failed              -               10-05T09:00     failed
p5    v1.3.0   manual    Verified            10-05T16:00     10-05T16:01     
p6    v1.4.0   release   Verified            10-08T18:00     10-08T18:01     failed: i1
p7    v1.5.0   release   Verified            10-12T20:00     10-12T20:01     
p8    v1.6.0   release   Verified            10-25T23:59:59  10-26T00:00:30  
p9    v2.0.0   release   Verified            10-26T00:00     10-26T00:01     failed: i15
p10   v2.1.0   release   Superseded          -               10-27T09:30     no attempt
p11   v2.2.0   release   Verified            10-27T12:00     10-27T12:01     
p12   v2.3.0   release   Rejected            -               10-28T09:00     no attempt
p13   v2.4.0   release   Verified            10-29T10:00     10-29T10:01     
p14   v2.5.0   release   Cancelled           -               10-30T09:00     no attempt
p15   v2.6.0   release   Verified            10-30T13:00     10-30T13:01     
p16   v2.7.0   release   Failed              -               10-31T09:00     failed before it was healthy
p17   v2.7.0   manual    Verified            10-31T11:00     10-31T11:01     the zone is retried
p18   v2.8.0   release   Failed              11-01T10:00     11-01T10:05     failed: smoke check, although healthy
p19   v2.7.0   rollback  Verified            11-01T11:00     11-01T11:01     a rollback is a deployment without a Change
p20   v2.8.0   manual    Verified            11-01T15:00     11-01T15:01     released again
p21   v2.9.0   release   Verified            11-02T09:00     11-02T09:01     failed: i3, one second before 24 hours
p22   v2.10.0  release   Verified            11-04T10:00     11-04T10:01     i4 is one second after 24 hours
p23   v2.11.0  release   Verified            11-06T14:00     11-06T14:01     failed once: i5 and i6
p24   v2.12.0  release   Verified            11-07T09:30     11-07T09:31     i7 has severity info
p25   v2.13.0  release   Verified            11-08T09:00     11-08T09:01     i8 belongs to the later deployment
p26   v2.14.0  release   Verified            11-08T11:00     11-08T11:01     failed: i8
p27   v2.15.0  release   Verified            11-09T12:00     11-09T12:01     failed: i9, still open
p28   v2.16.0  release   Verified            11-10T08:45     11-10T08:46     
p29   v2.17.0  release   Verified            11-11T09:00     11-11T09:01     
p30   v2.18.0  release   Verified            11-12T10:00     11-12T10:01     
p31   v2.20.0  release   Verified            11-13T14:00     11-13T14:01     
p32   v2.18.0  rollback  Failed              -               11-13T15:00     failed: a rollback is an attempt
p33   v2.18.0  rollback  Verified            11-13T16:00     11-13T16:01     failed: i10
p34   v2.21.0  release   Verified            11-14T20:00     11-14T20:01     
p35   v2.22.0  release   Verified            11-15T18:00     11-15T18:01     
p36   v2.23.0  release   Cancelled           11-16T09:00     11-16T09:01     it was healthy before it was cancelled
p37   v2.24.0  release   Pending             -               -               held: no attempt
p38   v2.25.0  release   Verified            11-18T12:00     11-18T12:01     
p39   v2.26.0  release   Verified            11-19T08:00     11-19T08:01     
p40   v2.27.0  release   Rejected            -               11-20T09:00     no attempt
p41   v2.28.0  release   Verified            11-20T12:00     11-20T12:01     failed: i13
p42   v2.29.0  release   WaitingForApproval  -               -               no attempt yet
`;

// The minutes are from opening to resolving; a reopened incident keeps its first opening.
const incidentTable = `
name  zone  severity  opened          resolved        cause       minutes  edge
i1    prod  critical  10-08T20:00     10-08T21:00     p6          60       before the window
i2    rc    warning   10-10T00:00     10-10T03:00     rc-v1.4.0   180      before the window; not in a release zone
i3    prod  critical  11-03T08:59:59  11-03T09:59:59  p21         60
i4    prod  critical  11-05T10:00:01  11-05T10:30:01  -           30
i5    prod  warning   11-06T15:00     11-06T17:00     p23         120
i6    prod  critical  11-06T16:00     11-06T16:10     p23         10
i7    prod  info      11-07T10:00     11-07T10:10     p24         -        info does not count
i8    prod  critical  11-08T12:00     11-08T12:40     p26         40
i9    prod  critical  11-09T13:00     -               p27         -        still open
i10   prod  critical  11-13T17:00     11-13T18:30     p33         90
i11   rc    warning   11-18T01:00     11-18T05:00     rc-v2.24.0  240      not in a release zone: no failed deployment
i12   -     warning   11-19T00:00     11-19T00:20     -           20       by hand, without a zone
i13   prod  critical  11-20T13:00     11-20T14:20     p41         80       resolved at 13:30, reopened at 13:40
i14   prod  critical  10-25T20:00     10-26T02:00     -           360      resolved in the window
i15   prod  warning   10-26T01:00     10-26T01:20     p9          20
i16   prod  info      11-21T01:00     11-21T02:00     -           -        info does not count
i17   rc    critical  11-21T00:00     11-21T08:00     -           480
i18   prod  warning   11-22T00:00     11-22T00:05     -           5
i19   prod  critical  11-23T03:00     11-24T06:00     -           1620
i20   prod  warning   11-24T09:00     -               -           -        still open
`;

/**
 * The sums of the tables, by hand.
 *
 * Releases healthy in prod: by p9 p11 p13 p15 p17 p18 p21 p22 p23 p24 p25 p26 p27 p28 p29 p30 p31 p34 p35 p36 p38 p39 p41
 * = 23; p19 p20 and p33 deployed one of them again = 26; attempts are also p16 and p32 = 28. Failed: p9 p16 p18 p21 p23 p26 p27 p32 p33 p41 = 10 of 28.
 * Lead times in hours, sorted: 0 .75 1 1 1 1 1.5 2 2 2 2 2 2 2 [3] 3 3 3 4 4 4 4 5 6 6 10 12 26 28 = 29, the 15th is 3 h.
 * Minutes to restore, sorted: 5 10 20 20 30 40 [60 80] 90 120 240 360 480 1620 = 14, the middle is 70 min.
 * Before: healthy p1 p2 p3 p5 p6 p7 p8 = 7, attempts with p4 = 8, failed p4 p6 = 2 of 8; 2 4 6 [8] 10 12 14 h; [60 180] min.
 */
export const expectedFigures = {
  deploymentFrequency: {
    value: 23 / (30 / 7),
    rating: 'Elite',
    count: 23,
    total: 23,
    previous: { value: 7 / (30 / 7), count: 7, total: 7 },
  },
  leadTime: {
    value: 3 * 3_600,
    rating: 'Elite',
    count: 29,
    total: 29,
    previous: { value: 8 * 3_600, count: 7, total: 7 },
  },
  changeFailureRate: {
    value: 10 / 28,
    rating: 'Low',
    count: 10,
    total: 28,
    previous: { value: 2 / 8, count: 2, total: 8 },
  },
  timeToRestore: {
    value: 70 * 60,
    rating: 'High',
    count: 14,
    total: 14,
    previous: { value: 120 * 60, count: 2, total: 2 },
  },
};
/** Releases that were healthy for the first time in each part of three days. */
export const expectedReleasesPerPart = [2, 3, 2, 2, 4, 3, 3, 2, 2, 0];
export const expectedFailures = ['p41', 'p33', 'p32', 'p27', 'p26', 'p23', 'p21', 'p18', 'p16', 'p9'];

type Row = Record<string, string>;

/** Splits a table at the columns of its head; cells in the last column may contain spaces. */
function parseTable(table: string): Row[] {
  const [head = '', ...lines] = table.trim().split('\n');
  const columns = [...head.matchAll(/\S+/g)].map(({ 0: name, index }) => ({ name, index }));
  return lines.map((line) =>
    Object.fromEntries(
      columns.flatMap(({ name, index }, at) => {
        const cell = line.slice(index, columns[at + 1]?.index).trim();
        return cell === '-' || cell === '' ? [] : [[name, cell]];
      }),
    ),
  );
}

const toTimestamp = (cell: string | undefined): string | undefined =>
  cell === undefined ? undefined : new Date(`2026-${cell}Z`).toISOString();

const product = 'shop';
const startedBy = 'ada@example.com';
const toReleaseName = (version: string | undefined): string => `${product}-${version?.replaceAll('.', '-')}`;
const toCommit = (version: string | undefined): string => `k${version?.slice(1)}`;
const rows = {
  releases: parseTable(releaseTable),
  changes: parseTable(changeTable),
  promotions: parseTable(promotionTable),
  incidents: parseTable(incidentTable),
};

/** The hours of each lead time, by the run, or by the version of a Release that was started by hand. */
export const expectedLeadTimes = new Map(
  [...rows.releases, ...rows.changes]
    .filter(({ lead }) => lead !== undefined)
    .map(({ run, version, lead }) => [run ?? version, Number(lead)]),
);
/** The minutes of each restored incident. */
export const expectedMinutes = new Map(
  rows.incidents.filter(({ minutes }) => minutes !== undefined).map(({ name, minutes }) => [name, Number(minutes)]),
);

export const releases = rows.releases.map(({ version = '', run, started, repo }) => {
  const startedAt = toTimestamp(started) ?? '';
  const isRestarted = version === 'v2.22.0';
  const status: ReleaseStatus = {
    phase: 'Succeeded',
    startedAt: isRestarted ? '2026-11-15T17:00:00.000Z' : startedAt,
    zones: [],
    ...(isRestarted && { attempts: [{ phase: 'Failed', startedAt }] }),
  };
  const spec = defined({ product, repo: `acme/${repo}`, commit: toCommit(version), version, run, startedBy });
  return { name: toReleaseName(version), spec, status };
});

export const runs = [...rows.releases.filter(({ run }) => run !== undefined), ...rows.changes].map((row) => {
  const { run = '', merged = '', version, commit = toCommit(version), repo = 'shop' } = row;
  const status: RunStatus = { phase: 'Succeeded', steps: [], mergeCommit: commit, mergedAt: toTimestamp(merged) ?? '' };
  const target = { repo: `acme/${repo}`, number: Number(run.slice(1)) };
  return { name: run, spec: { agentWorkflow: 'change', product, target, startedBy, steps: [], roles: {} }, status };
});

const toPromotion = ({ name = '', zone = 'prod', version = '', trigger, phase, healthy, finished }: Row) => {
  const spec: PromotionSpec = {
    product,
    zone,
    release: toReleaseName(version),
    version,
    commit: toCommit(version),
    trigger: trigger as PromotionSpec['trigger'],
    startedBy,
  };
  const status = defined({
    phase: phase as PromotionStatus['phase'],
    phases: [],
    healthyAt: toTimestamp(healthy),
    finishedAt: toTimestamp(finished),
  });
  return { name, spec, status };
};
export const promotions = [
  ...rows.promotions.map(toPromotion),
  ...rows.releases
    .filter(({ version }) => version !== 'v2.19.0')
    .map(({ version = '', started = '' }) =>
      toPromotion({
        name: `rc-${version}`,
        zone: 'rc',
        version,
        trigger: 'release',
        phase: 'Verified',
        healthy: started,
        finished: started,
      }),
    ),
];

export const incidents = rows.incidents.map(({ name = '', zone, severity, opened, resolved, cause }) => {
  const spec: IncidentSpec = defined({
    product,
    zone,
    severity: severity as IncidentSpec['severity'],
    title: `Incident ${name}`,
    openedBy: 'alert',
  });
  const { spec: caused, status } = promotions.find((promotion) => promotion.name === cause) ?? {};
  const promotion = caused &&
    cause !== undefined && {
      name: cause,
      release: caused.release,
      version: caused.version,
      healthyAt: status?.healthyAt ?? '',
    };
  const incidentStatus: IncidentStatus = {
    ...defined({ openedAt: toTimestamp(opened) ?? '', resolvedAt: toTimestamp(resolved) }),
    state: resolved === undefined ? 'Open' : 'Resolved',
    timeline: [],
    ...(promotion && { promotion }),
  };
  return { name, spec, status: incidentStatus };
});
