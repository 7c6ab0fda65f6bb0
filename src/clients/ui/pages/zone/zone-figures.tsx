import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { slosQuery } from '../../api/queries/slos.ts';
import type { Schemas } from '../../api/generated/openapi.ts';
import { Figure, Figures } from '../../parts/figures.tsx';
import { OutsideLink } from '../../parts/outside-link.tsx';
import { Phase } from '../../parts/state.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import { formatShare } from '../reliability/slos/slo-words.ts';

type Zone = Schemas['ZoneDetails'];

/** Shows the version that runs, its pods, its settings and its address. */
export const ZoneFigures = ({ zone }: { zone: Zone }) => (
  <Figures>
    <Version zone={zone} />
    <Pods zone={zone} />
    <Settings zone={zone} />
    <Objectives zone={zone} />
    <Address zone={zone} />
  </Figures>
);

function Version({ zone: { org, status } }: { zone: Zone }) {
  const { version, release, verifiedAt, commit } = status;
  if (version === undefined)
    return (
      <Figure term="Runs" value="Nothing">
        No Release has been promoted yet.
      </Figure>
    );
  const value =
    release === undefined ? (
      version
    ) : (
      <Link className="quiet" to="/$org/releases/$release" params={{ org, release }}>
        {version}
      </Link>
    );
  return (
    <Figure term="Runs" value={value}>
      {verifiedAt === undefined ? (
        'Not verified'
      ) : (
        <>
          <Phase phase="Verified" quiet /> <Time at={verifiedAt} />
        </>
      )}
      {commit !== undefined && (
        <>
          , <code>{commit.slice(0, 7)}</code>
        </>
      )}
    </Figure>
  );
}

function Pods({ zone: { pods, resources, notRunningReason } }: { zone: Zone }) {
  const ready = pods.filter((pod) => pod.ready).length;
  const restarts = pods.reduce((sum, pod) => sum + pod.restarts, 0);
  const last = pods
    .filter((pod) => pod.restarts > 0)
    .flatMap(({ startedAt }) => startedAt ?? [])
    .toSorted()
    .at(-1);
  return (
    <Figure
      term="Pods"
      value={
        <>
          {ready} <small>of {resources.replicas} ready</small>
        </>
      }
    >
      {notRunningReason ?? (
        <>
          {restarts === 1 ? '1 restart' : `${restarts === 0 ? 'No' : restarts} restarts`}
          {last !== undefined && (
            <>
              , the last <Ago since={last} />
            </>
          )}
        </>
      )}
    </Figure>
  );
}

function Settings({ zone: { status } }: { zone: Zone }) {
  const { settings } = status;
  if (!settings)
    return (
      <Figure term="Settings" value={status.appliedSettings ? 'Applied' : 'Not applied'}>
        {status.appliedSettings ? 'With the Release that runs' : 'The next Release applies them.'}
      </Figure>
    );
  return (
    <Figure term="Settings" value={settings.phase}>
      {settings.message ?? <Time at={settings.at} />}
      {settings.pullRequest && (
        <>
          , <OutsideLink href={settings.pullRequest.url}>gitops #{settings.pullRequest.number}</OutsideLink>
        </>
      )}
    </Figure>
  );
}

/** Shows the objectives that are measured in the zone; without one, nothing. */
function Objectives({ zone: { org, product, name } }: { zone: Zone }) {
  const { data } = useQuery(slosQuery(org, product));
  const slos = (data?.items ?? []).filter((slo) => slo.zone === name);
  if (slos.length === 0) return null;
  const left = slos.flatMap(({ budgetLeft }) => (budgetLeft === undefined ? [] : formatShare(budgetLeft, 0)));
  const [unknown] = slos.filter(({ state }) => state === 'unavailable');
  return (
    <Figure
      term="SLOs"
      value={
        <Link className="quiet" to="/$org/products/$product/reliability" params={{ org, product }}>
          {unknown ? 'Not known' : slos.filter(({ state }) => state === 'meeting').length}
          {!unknown && <small> of {slos.length} met</small>}
        </Link>
      }
    >
      {unknown?.message ?? (left.length === 0 ? 'No traffic yet' : `Budget left ${left.join(' and ')}`)}
    </Figure>
  );
}

const certificates = {
  valid: 'valid certificate',
  invalid: 'invalid certificate',
  none: 'no certificate',
  unknown: 'certificate not checked',
};

function Address({ zone: { spec, status } }: { zone: Zone }) {
  const { addressCheck: check } = status;
  if (spec?.access === 'none')
    return (
      <Figure term="Address" value="None">
        Reachable only inside the cluster
      </Figure>
    );
  if (!check)
    return (
      <Figure term="Address" value="Not checked">
        Checked when a Release is verified
      </Figure>
    );
  return (
    <Figure term="Address" value={check.reachable ? 'Reachable' : 'Not reachable'}>
      {check.reachable ? certificates[check.certificate] : check.message}, <Time at={check.checkedAt} />
    </Figure>
  );
}
