import type { Schemas } from '../../api/generated/openapi.ts';
import { Section } from '../../parts/page.tsx';
import type { State } from '../../parts/phase-state.ts';
import { Status } from '../../parts/state.tsx';
import table from '../../parts/table.module.css';
import { Time } from '../../parts/time.tsx';

type Pod = Schemas['Pod'];

export const Pods = ({ pods, reason }: { pods: Pod[]; reason: string | undefined }) => (
  <Section id="pods" title="Pods">
    {pods.length === 0 ? (
      <p className="dim">{reason ?? 'No pod runs.'}</p>
    ) : (
      <table className={`${table['tbl']} ${table['mid']}`}>
        <thead>
          <tr>
            <th scope="col">Status</th>
            <th scope="col">Pod</th>
            <th scope="col">Why</th>
            <th scope="col" className={table['n']}>
              Restarts
            </th>
            <th scope="col">Started</th>
            <th scope="col">Node</th>
            <th scope="col">Image</th>
          </tr>
        </thead>
        <tbody>
          {pods.map((pod) => (
            <tr key={pod.name}>
              <td>
                <Status state={toPodState(pod)} words={pod.status} />
              </td>
              <th scope="row" className="mono">
                {pod.name}
              </th>
              <td className="dim">{pod.notReadyReason}</td>
              <td className={table['n']} data-l="Restarts">
                {pod.restarts}
              </td>
              <td data-l="Started">{pod.startedAt !== undefined && <Time at={pod.startedAt} />}</td>
              <td data-l="Node">{pod.node}</td>
              <td className="mono" data-l="Image" title={pod.image}>
                {pod.image && shortenImage(pod.image)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    )}
  </Section>
);

function toPodState({ ready, status }: Pod): State {
  if (ready) return 'done';
  if (['Pending', 'Starting', 'ContainerCreating', 'PodInitializing', 'Terminating'].includes(status)) return 'working';
  return status === 'Succeeded' ? 'idle' : 'failed';
}

/** The digest or the tag of an image. */
const shortenImage = (image: string): string =>
  image
    .split(/@sha256:|:(?!.*\/)/)
    .at(-1)
    ?.slice(0, 7) ?? image;

export const Storage = ({ volumes }: { volumes: Schemas['Volume'][] }) => (
  <Section id="storage" title="Storage">
    <table className={`${table['tbl']} ${table['tight']} ${table['mid']}`}>
      <thead>
        <tr>
          <th scope="col">Volume</th>
          <th scope="col">State</th>
          <th scope="col">Path in the app</th>
          <th scope="col" className={table['n']}>
            Size
          </th>
        </tr>
      </thead>
      <tbody>
        {volumes.map(({ name, phase, mountPath, size }) => (
          <tr key={name}>
            <th scope="row" className="mono">
              {name}
            </th>
            <td>
              {mountPath === undefined ? (
                <>
                  <Status state="idle" words="Left over" />{' '}
                  <span className="faint small">
                    The app does not use it. Its data is in the cluster until the claim is deleted by hand.
                  </span>
                </>
              ) : (
                <Status state={phase === 'Bound' ? 'done' : phase === 'Lost' ? 'failed' : 'working'} words={phase} />
              )}
            </td>
            <td className="mono" data-l="Path">
              {mountPath}
            </td>
            <td className={table['n']} data-l="Size">
              {size?.replace(/^(\d+)([kKMGT]i?)$/, '$1 $2B')}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </Section>
);

export const Events = ({ events }: { events: Schemas['ClusterEvent'][] }) => (
  <Section id="events" title="Cluster events" note="The newest first">
    {events.length === 0 ? (
      <p className="dim">The cluster reports no event of the last hour.</p>
    ) : (
      <table className={`${table['tbl']} ${table['tight']}`}>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Kind</th>
            <th scope="col">Reason</th>
            <th scope="col">Object</th>
            <th scope="col">Message</th>
            <th scope="col" className={table['n']}>
              Times
            </th>
          </tr>
        </thead>
        <tbody>
          {events.map(({ at, warning, reason, object, message, count }) => (
            <tr key={`${at} ${object} ${reason} ${message}`}>
              <td>
                <Time at={at} />
              </td>
              <td>
                <Status state={warning ? 'warn' : 'idle'} words={warning ? 'Warning' : 'Normal'} />
              </td>
              <td data-l="Reason">{reason}</td>
              <td className="mono">{object}</td>
              <td>{message}</td>
              <td className={table['n']} data-l="Times">
                {count}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    )}
  </Section>
);
