import { useMutation, useQueryClient } from '@tanstack/react-query';
import { releaseQuery } from '../../api/queries/releases.ts';
import { request } from '../../api/request.ts';
import type { Release, ReleaseZone, Zone } from '../../api/types.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import decision from '../../parts/decision.module.css';
import field from '../../parts/field.module.css';
import { ProblemNotice } from '../../parts/problem.tsx';
import { Mark } from '../../parts/state.tsx';
import { DecisionFacts } from './decision-facts.tsx';
import { Time } from '../../parts/time.tsx';
import { useTyped } from '../../parts/use-typed.ts';
import { announce } from '../../shell/announcer.tsx';

type Props = { release: Release; zone: ReleaseZone; target: Zone | undefined };

/** The decision whether this version may enter a zone. */
export function PromotionDecision({ release, zone, target }: Props) {
  const { org, name, spec, actions } = release;
  const [note, setNote] = useTyped(`${org}/${name}/${zone.name}`);
  const queryClient = useQueryClient();
  const decide = useMutation({
    mutationFn: async (verb: 'approve' | 'reject') =>
      await request('post', `/v1/orgs/{org}/releases/{name}/zones/{zone}/${verb}`, {
        params: { org, name, zone: zone.name },
        body: { ...(note !== '' && { note }) },
      }),
    onSuccess: () => setNote(''),
    onError: ({ message }) => announce(message),
    onSettled: async () => {
      await queryClient.invalidateQueries(releaseQuery(org, name));
      await queryClient.invalidateQueries({ queryKey: ['zones', org, spec.product] });
      await queryClient.invalidateQueries({ queryKey: ['waiting'] });
    },
  });
  const isWaiting = zone.phase === 'WaitingForApproval';
  const newer = isWaiting ? undefined : findWaiting(target, name);
  const toWhy = (operation: string): string | undefined => {
    const action = actions.find((one) => one.name === operation && one.zone === zone.name);
    if (decide.isSuccess) return 'Your decision was sent.';
    if (newer) return `${newer.version} waits for ${zone.name} instead of ${spec.version}.`;
    return action?.allowed === true ? undefined : (action?.message ?? 'The promotion no longer waits for approval.');
  };
  const why = toWhy('approvePromotion');
  const commit = spec.commit.slice(0, 7);
  return (
    <section className={decision['decision']} id="decision" tabIndex={-1} aria-labelledby={`decision-${zone.name}`}>
      <header>
        <Mark state={isWaiting ? 'waiting' : 'idle'} large />
        <h2 id={`decision-${zone.name}`}>
          Promote {spec.version} to {zone.name}?
        </h2>
        {zone.waitingFor && (
          <span className="push">
            Waiting for a {zone.waitingFor.role} since <Time at={zone.waitingFor.since} />
          </span>
        )}
      </header>
      <DecisionFacts release={release} name={zone.name} zone={target} />
      {decide.error && (
        <div className={decision['message']}>
          <ProblemNotice error={decide.error} />
        </div>
      )}
      <footer>
        <label className="sr" htmlFor={`note-${zone.name}`}>
          Note for the record
        </label>
        <input
          className={field['input']}
          id={`note-${zone.name}`}
          maxLength={2000}
          placeholder="Note for the record, optional"
          value={note}
          onChange={(event) => setNote(event.target.value)}
        />
        <Button look="primary" why={why} busy={decide.isPending} onClick={() => decide.mutate('approve')}>
          Approve {commit}
        </Button>
        <Button
          look="danger"
          why={toWhy('rejectPromotion')}
          busy={decide.isPending}
          onClick={() => decide.mutate('reject')}
        >
          Reject {commit}
        </Button>
        {newer && (
          <ButtonLink to="/$org/releases/$release" params={{ org, release: newer.release }}>
            Review {newer.version}
          </ButtonLink>
        )}
        {why !== undefined && <p className={decision['why']}>{why}</p>}
      </footer>
    </section>
  );
}

/** The Release that waits for a decision about the zone, if it is another one. */
function findWaiting(zone: Zone | undefined, name: string): Zone['status']['currentPromotion'] {
  const { currentPromotion } = zone?.status ?? {};
  return currentPromotion?.phase === 'WaitingForApproval' && currentPromotion.release !== name
    ? currentPromotion
    : undefined;
}
