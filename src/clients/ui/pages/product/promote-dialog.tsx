import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { comparisonQuery } from '../../api/queries/comparisons.ts';
import { releaseQuery } from '../../api/queries/releases.ts';
import { request } from '../../api/request.ts';
import type { Release, Zone } from '../../api/types.ts';
import { Button } from '../../parts/button.tsx';
import { DecidedNotice } from '../../parts/decided-notice.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import field from '../../parts/field.module.css';
import { ProblemNotice } from '../../parts/problem.tsx';
import { useSeen } from '../../parts/use-seen.ts';
import { useUnsentText } from '../../parts/use-unsent-text.ts';
import { announce } from '../../shell/announcer.tsx';
import { RequestNotice } from './request-notice.tsx';
import { PromotionFacts } from './promotion-facts.tsx';
import { ReleaseChoice } from './release-choice.tsx';

type Verb = 'promote' | 'approve' | 'reject';
type Props = {
  product: string;
  zone: Zone;
  zones: Zone[];
  releases: Release[];
  name: string | undefined;
  onClose: () => void;
};

/** Promotes a Release to a zone, decides on a promotion that waits, or rolls back: one way with one set of checks. */
export function PromoteDialog({ product, zone, zones, releases, name, onClose }: Props) {
  const { org, status, actions } = zone;
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const noteField = useRef<HTMLInputElement>(null);
  // The page of the Release asks for the same note.
  const toNoteKey = (of: string | undefined): string => `${org}/${of ?? ''}/${zone.name}`;
  const [note, setNote, copyNote] = useUnsentText(toNoteKey(name));
  const [overrideFreeze, setOverrideFreeze] = useState(false);
  const listed = releases.find((one) => one.name === name);
  const single = useQuery({ ...releaseQuery(org, name ?? ''), enabled: name !== undefined && !listed });
  const release = listed ?? single.data;
  const comparison = useQuery({ ...comparisonQuery(org, name ?? '', zone), enabled: release !== undefined });
  const decide = useMutation({
    mutationFn: async ({ verb, release: chosen }: { verb: Verb; release: string }) => {
      const text = note === '' ? {} : { note };
      if (verb === 'promote')
        await request('post', '/v1/orgs/{org}/products/{product}/zones/{zone}/promote', {
          params: { org, product, zone: zone.name },
          body: { release: chosen, ...text, ...(overrideFreeze && { overrideFreeze }) },
        });
      else
        await request('post', `/v1/orgs/{org}/releases/{name}/zones/{zone}/${verb}`, {
          params: { org, name: chosen, zone: zone.name },
          body: text,
        });
    },
    onSuccess: (_, { verb }) => {
      setNote('');
      announce(verb === 'reject' ? 'Rejected.' : 'Requested. The state of the zone follows.');
    },
    onError: ({ message }) => announce(message),
    onSettled: async () => {
      await Promise.all(
        ['zones', 'product', 'products', 'releases', 'release', 'waiting'].map(
          async (key) => await queryClient.invalidateQueries({ queryKey: key === 'waiting' ? [key] : [key, org] }),
        ),
      );
    },
  });
  // The browser's Back shows another Release in the same dialog.
  const sent = decide.variables?.release === name ? decide : undefined;
  const isSent = sent?.isSuccess === true;
  const version = release?.spec.version;
  const isBackward = comparison.data?.direction === 'backward';
  const waiting = status.currentPromotion?.phase === 'WaitingForApproval' ? status.currentPromotion : undefined;
  // A person who came to decide must not start a promotion instead, because the button has become another one.
  const isDecision = useSeen(waiting ? [waiting.release] : []).has(name ?? '');
  const newer = isDecision && waiting?.release !== name ? waiting : undefined;
  const decision = release?.status?.zones.find((one) => one.name === zone.name)?.decision;
  const toWhy = (operation: string): string | undefined => {
    const action = actions.find((one) => one.name === operation);
    if (isSent) return 'Your decision was sent.';
    if (release === undefined) return 'Choose a Release.';
    if (newer) return `${newer.version} waits for ${zone.name} instead of ${version}.`;
    if (isDecision && !waiting) return 'The promotion no longer waits for approval.';
    if (action?.allowed !== true) return action?.message ?? 'The promotion no longer waits for approval.';
    if (operation === 'promoteToZone' && status.release === name) return `${zone.name} runs ${version} already.`;
    if (operation === 'promoteToZone' && status.freeze && !overrideFreeze) return 'The zone is frozen.';
    return undefined;
  };
  const operation = isDecision ? 'approvePromotion' : 'promoteToZone';
  const why = toWhy(operation);
  const commit = release?.spec.commit.slice(0, 7);
  const choose = (value: string): void => {
    decide.reset();
    copyNote(toNoteKey(value));
    void navigate({
      to: '/$org/products/$product',
      params: { org, product },
      search: { promote: zone.name, ...(value !== '' && { release: value }) },
      resetScroll: false,
    });
  };
  return (
    <Dialog
      title={toTitle({ version, zone: zone.name, isBackward })}
      note={status.address === undefined ? undefined : `${zone.name} serves ${new URL(status.address).host}.`}
      {...(name !== undefined && { initialFocus: noteField })}
      onClose={onClose}
      foot={
        <>
          {isSent ? (
            <Button onClick={onClose}>Close</Button>
          ) : (
            <>
              <Button
                look="primary"
                why={why}
                busy={decide.isPending}
                onClick={() => decide.mutate({ verb: isDecision ? 'approve' : 'promote', release: name ?? '' })}
              >
                {isDecision ? `Approve ${commit}` : isBackward ? `Roll back to ${version}` : `Promote ${version ?? ''}`}
              </Button>
              {isDecision && (
                <Button
                  look="danger"
                  why={toWhy('rejectPromotion')}
                  busy={decide.isPending}
                  onClick={() => decide.mutate({ verb: 'reject', release: name ?? '' })}
                >
                  Reject {commit}
                </Button>
              )}
              {newer && <Button onClick={() => choose(newer.release)}>Review {newer.version}</Button>}
              <Button onClick={onClose}>Not now</Button>
            </>
          )}
          {why !== undefined && !isSent && <span className="dim small">{why}</span>}
        </>
      }
    >
      <ReleaseChoice zone={zone} releases={releases} name={name} onChoose={choose} />
      {release && (
        <PromotionFacts release={release} zone={zone} zones={zones} comparison={comparison} isDecision={isDecision} />
      )}
      {status.freeze && !isDecision && (
        <div className={field['opt']}>
          <input
            type="checkbox"
            id="override"
            checked={overrideFreeze}
            onChange={({ target }) => setOverrideFreeze(target.checked)}
          />
          <label htmlFor="override">
            Promote although {zone.name} is frozen
            <span>Frozen: {status.freeze.reason}. The freeze stays for other promotions.</span>
          </label>
        </div>
      )}
      <div className={field['field']}>
        <label htmlFor="promote-note">
          Note for the record <span className="faint">optional</span>
        </label>
        <input
          className={field['input']}
          id="promote-note"
          ref={noteField}
          maxLength={2000}
          value={note}
          onChange={({ target }) => setNote(target.value)}
        />
      </div>
      {isDecision && !waiting && !isSent && decision && version !== undefined && (
        <DecidedNotice decision={decision} what={`${version} for ${zone.name}`} />
      )}
      {sent?.error && <ProblemNotice error={sent.error} />}
      {sent?.isSuccess && <RequestNotice zone={zone} verb={sent.variables.verb} version={version ?? ''} />}
    </Dialog>
  );
}

function toTitle({ version, zone, isBackward }: { version: string | undefined; zone: string; isBackward: boolean }) {
  if (version === undefined) return `Promote to ${zone}`;
  return isBackward ? `Roll ${zone} back to ${version}?` : `Promote ${version} to ${zone}?`;
}
