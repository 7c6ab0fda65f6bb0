import { useMutation, useQueryClient } from '@tanstack/react-query';
import { releaseQuery } from '../../api/queries/releases.ts';
import { request } from '../../api/request.ts';
import type { Release, ReleaseZone, Zone } from '../../api/types.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { DecisionHead } from '../../parts/decision-head.tsx';
import styles from '../../parts/decision.module.css';
import field from '../../parts/field.module.css';
import { ProblemNotice } from '../../parts/problem.tsx';
import { DecisionFacts } from './decision-facts.tsx';
import { useDecision } from '../../parts/use-decision.ts';
import { useFrozenValue } from '../../parts/use-frozen-value.ts';
import { useUnsentText } from '../../parts/use-unsent-text.ts';
import { announce } from '../../shell/announcer.tsx';

type Props = { release: Release; zone: ReleaseZone; target: Zone | undefined };

/** The decision whether this version may enter a zone. Once made, it shows who made it. */
export function PromotionDecision({ release, zone, target }: Props) {
  const { org, name, spec, actions } = release;
  const [note, setNote] = useUnsentText(`${org}/${name}/${zone.name}`);
  const queryClient = useQueryClient();
  const decide = useMutation({
    mutationFn: async ({ verb }: { verb: 'approve' | 'reject'; since: string | undefined }) =>
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
  const since = zone.waitingFor?.since;
  const isWaiting = zone.phase === 'WaitingForApproval';
  const newer = isWaiting || zone.decision ? undefined : findWaiting(target, name);
  // The facts of a decision stay those that it was about.
  const [shown, shownTarget] = [useFrozenValue(release, isWaiting), useFrozenValue(target, isWaiting)];
  const { decision, toWhy, line } = useDecision('approvePromotion', {
    isWaiting,
    since,
    made: zone.decision,
    sending: decide,
    findAction: (operation) => actions.find((one) => one.name === operation && one.zone === zone.name),
    words: { sent: 'Your decision was sent.', over: 'The promotion no longer waits for approval.' },
    obstacle: newer && `${newer.version} waits for ${zone.name} instead of ${spec.version}.`,
  });
  const commit = spec.commit.slice(0, 7);
  return (
    <section
      className={styles['decision']}
      id={decision ? undefined : 'decision'}
      tabIndex={-1}
      aria-labelledby={`decision-${zone.name}`}
    >
      <DecisionHead
        id={`decision-${zone.name}`}
        title={`Promote ${spec.version} to ${zone.name}?`}
        what={`${spec.version} for ${zone.name}`}
        waitingFor={isWaiting ? zone.waitingFor : undefined}
        decision={decision}
      />
      <DecisionFacts release={shown} name={zone.name} zone={shownTarget} />
      {decide.error && (
        <div className={styles['message']}>
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
          readOnly={!isWaiting}
          placeholder="Note for the record, optional"
          value={note}
          onChange={(event) => setNote(event.target.value)}
        />
        <Button
          look="primary"
          why={toWhy('approvePromotion')}
          busy={decide.isPending}
          onClick={() => decide.mutate({ verb: 'approve', since })}
        >
          Approve {commit}
        </Button>
        <Button
          look="danger"
          why={toWhy('rejectPromotion')}
          busy={decide.isPending}
          onClick={() => decide.mutate({ verb: 'reject', since })}
        >
          Reject {commit}
        </Button>
        {newer && (
          <ButtonLink to="/$org/releases/$release" params={{ org, release: newer.release }}>
            Review {newer.version}
          </ButtonLink>
        )}
        {line !== undefined && <p className={styles['why']}>{line}</p>}
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
