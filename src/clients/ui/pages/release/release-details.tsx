import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { releaseArtifactsQuery } from '../../api/queries/release-artifacts.ts';
import type { Schemas } from '../../api/generated/openapi.ts';
import type { Release } from '../../api/types.ts';
import { formatBytes } from '../../parts/format-bytes.ts';
import { CurlLine } from '../../parts/curl-line.tsx';
import { OutsideLink } from '../../parts/outside-link.tsx';
import { Details } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import styles from './release-details.module.css';

/** The screenshots, the facts and the API of a Release. */
export function ReleaseDetails({ release }: { release: Release }) {
  const { org, name, spec, status } = release;
  const { data: artifacts } = useQuery(releaseArtifactsQuery(org, name));
  return (
    <>
      {artifacts?.items.map((artifact) => (
        <Evidence key={artifact.id} artifact={artifact} />
      ))}
      <section>
        <h2>This Release</h2>
        <Details
          items={[
            [
              'Product',
              <Link key="product" to="/$org/products/$product" params={{ org, product: spec.product }}>
                {spec.product}
              </Link>,
            ],
            status?.digest !== undefined && ['Image', <code key="digest">{status.digest.slice(0, 19)}…</code>],
            status?.taggedAt !== undefined && ['Tagged', <Tagged key="tag" release={release} at={status.taggedAt} />],
            spec.run !== undefined && [
              'Change',
              <Link key="run" to="/$org/changes/$run" params={{ org, run: spec.run }}>
                {spec.run}
              </Link>,
            ],
            ['Started by', spec.startedBy],
            ...(status?.cutRuns ?? []).map(({ run, agentWorkflow }): [string, ReactNode] => [
              'It started',
              <Link key={run} to="/$org/changes/$run" params={{ org, run }}>
                {agentWorkflow}
              </Link>,
            ]),
          ]}
        />
      </section>
      <CurlLine path={`/orgs/${org}/releases/${name}`} />
    </>
  );
}

const Tagged = ({ release: { spec, status }, at }: { release: Release; at: string }) => (
  <>
    {status?.url === undefined ? spec.version : <OutsideLink href={status.url}>{spec.version}</OutsideLink>} at{' '}
    <Time at={at} />
  </>
);

function Evidence({ artifact: { name, type, url, zone, sizeBytes, failure } }: { artifact: Schemas['Artifact'] }) {
  const isImage = /^image\/(png|jpeg|webp|gif)$/.test(type);
  return (
    <section>
      <h2>{zone === undefined ? name : `In ${zone}`}</h2>
      {isImage && failure === undefined ? (
        <OutsideLink href={url} target="_blank">
          <img className={styles['shot']} src={url} alt={zone === undefined ? name : `The site of ${zone}`} />
        </OutsideLink>
      ) : (
        <OutsideLink href={url} target="_blank">
          {name}
        </OutsideLink>
      )}
      <p className="dim small">{failure ?? `${name}, ${formatBytes(sizeBytes)}`}</p>
    </section>
  );
}
