import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { request } from '../../api/request.ts';
import type { Zone } from '../../api/types.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import field from '../../parts/field.module.css';
import { findError } from '../../parts/find-error.ts';
import { ProblemNotice } from '../../parts/problem.tsx';
import { Time } from '../../parts/time.tsx';
import { announce } from '../../shell/announcer.tsx';

/** Freezes a zone with a reason, or ends its freeze. */
export function FreezeDialog({ product, zone, onClose }: { product: string; zone: Zone; onClose: () => void }) {
  const { org, name, status, actions } = zone;
  const { freeze } = status;
  const queryClient = useQueryClient();
  const reasonField = useRef<HTMLInputElement>(null);
  const [reason, setReason] = useState('');
  const [until, setUntil] = useState('');
  const params = { org, product, zone: name };
  const change = useMutation({
    mutationFn: async () => {
      if (freeze) {
        await request('post', '/v1/orgs/{org}/products/{product}/zones/{zone}/unfreeze', { params });
        return;
      }
      const end = until === '' ? {} : { until: new Date(until).toISOString() };
      const body = { reason: reason.trim(), ...end };
      await request('post', '/v1/orgs/{org}/products/{product}/zones/{zone}/freeze', { params, body });
    },
    onSuccess: async () => {
      announce(freeze ? `${name} is no longer frozen.` : `${name} is frozen.`);
      await Promise.all(
        ['zones', 'product', 'products'].map(
          async (key) => await queryClient.invalidateQueries({ queryKey: [key, org] }),
        ),
      );
      onClose();
    },
  });
  const action = actions.find((one) => one.name === (freeze ? 'unfreezeZone' : 'freezeZone'));
  const missing = !freeze && reason.trim() === '' ? 'Give a reason first.' : undefined;
  const why = action?.allowed === true ? missing : (action?.message ?? 'The zone has changed meanwhile.');
  return (
    <Dialog
      title={freeze ? `Unfreeze ${name}?` : `Freeze ${name}?`}
      note={
        freeze
          ? 'The newest Release that waits is promoted, after its approval if the zone asks for one.'
          : 'Releases wait in front of the zone until it is unfrozen. What it runs stays.'
      }
      initialFocus={reasonField}
      onClose={onClose}
      foot={
        <>
          <Button look="primary" why={why} busy={change.isPending} onClick={() => change.mutate()}>
            {freeze ? `Unfreeze ${name}` : `Freeze ${name}`}
          </Button>
          <Button onClick={onClose}>Not now</Button>
          {why !== undefined && <span className="dim small">{why}</span>}
        </>
      }
    >
      {freeze ? (
        <p>
          {freeze.by.split('@')[0]} froze it <Time at={freeze.since} />: {freeze.reason}
        </p>
      ) : (
        <>
          <div className={field['field']}>
            <label htmlFor="freeze-reason">Reason</label>
            <input
              className={field['input']}
              id="freeze-reason"
              ref={reasonField}
              maxLength={500}
              aria-describedby="freeze-hint"
              aria-invalid={findError(change.error, '/reason') !== undefined || undefined}
              value={reason}
              onChange={({ target }) => setReason(target.value)}
            />
            <span id="freeze-hint" className={field['hint']}>
              {findError(change.error, '/reason') ?? 'Everybody who wants to promote reads it.'}
            </span>
          </div>
          <Field
            label="Until, optional"
            type="datetime-local"
            value={until}
            onChange={({ target }) => setUntil(target.value)}
            hint="Without a time, it stays frozen until a person unfreezes it."
            error={findError(change.error, '/until')}
          />
        </>
      )}
      {change.error && <ProblemNotice error={change.error} />}
    </Dialog>
  );
}
