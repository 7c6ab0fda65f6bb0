import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Snowflake } from 'lucide-react';
import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { request } from '../api/request.ts';
import type { Zone } from '../api/types.ts';
import { announce } from '../shell/announcer.tsx';
import { FormDialog } from './form-dialog.tsx';
import { Button } from './button.tsx';
import { Field } from './field.tsx';
import { findError } from './find-error.ts';
import { ProblemNotice } from './problem.tsx';

type FreezableZone = Pick<Zone, 'org' | 'product' | 'name' | 'status' | 'actions'>;

/** Freezes a zone with a reason, or ends its freeze. */
export function FreezeButton({ zone }: { zone: FreezableZone }) {
  const hadFocus = useRef(false);
  return zone.status.freeze ? <Unfreeze zone={zone} hadFocus={hadFocus} /> : <Freeze zone={zone} hadFocus={hadFocus} />;
}

type Props = {
  zone: FreezableZone;
  /** Whether the button that this one replaces had the focus. */
  hadFocus: RefObject<boolean>;
};

/** Takes over the focus of the button that was replaced, also when another person froze the zone. */
function useInheritedFocus(hadFocus: RefObject<boolean>, isOpen = false): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null);
  const isAsking = useRef(isOpen);
  useLayoutEffect(() => void (isAsking.current = isOpen));
  useLayoutEffect(() => {
    const { current } = button;
    if (hadFocus.current) current?.focus();
    // The button is still in the page when React cleans up.
    return () => void (hadFocus.current = isAsking.current || current === document.activeElement);
  }, [hadFocus]);
  return button;
}

const whyNot = ({ actions }: FreezableZone, name: string): string | undefined => {
  const action = actions.find((one) => one.name === name);
  return action?.allowed === true ? undefined : (action?.message ?? 'This is not possible now.');
};

function useZoneChange(zone: FreezableZone) {
  const queryClient = useQueryClient();
  return async () =>
    await Promise.all(
      [['zone-details', zone.org], ['zones', zone.org], ['waiting']].map(
        async (queryKey) => await queryClient.invalidateQueries({ queryKey }),
      ),
    );
}

function Unfreeze({ zone, hadFocus }: Props) {
  const button = useInheritedFocus(hadFocus);
  const { org, product, name } = zone;
  const onSettled = useZoneChange(zone);
  const unfreeze = useMutation({
    mutationFn: async () =>
      await request('post', '/v1/orgs/{org}/products/{product}/zones/{zone}/unfreeze', {
        params: { org, product, zone: name },
      }),
    onSuccess: () => announce(`${name} is unfrozen.`),
    onSettled,
  });
  return (
    <>
      <Button
        ref={button}
        why={whyNot(zone, 'unfreezeZone')}
        busy={unfreeze.isPending}
        onClick={() => unfreeze.mutate()}
      >
        <Snowflake className="i s" aria-hidden="true" />
        Unfreeze
      </Button>
      {unfreeze.error && <ProblemNotice error={unfreeze.error} />}
    </>
  );
}

function Freeze({ zone, hadFocus }: Props) {
  const { org, product, name } = zone;
  const [isOpen, setOpen] = useState(false);
  const button = useInheritedFocus(hadFocus, isOpen);
  const [reason, setReason] = useState('');
  const [until, setUntil] = useState('');
  const onSettled = useZoneChange(zone);
  const freeze = useMutation({
    mutationFn: async () =>
      await request('post', '/v1/orgs/{org}/products/{product}/zones/{zone}/freeze', {
        params: { org, product, zone: name },
        body: { reason, ...(until !== '' && { until: new Date(until).toISOString() }) },
      }),
    onSuccess: () => {
      setOpen(false);
      announce(`${name} is frozen.`);
    },
    onSettled,
  });
  const why = whyNot(zone, 'freezeZone');
  const isMissing = reason.trim() === '';
  return (
    <FormDialog
      trigger={
        <Button ref={button} why={why}>
          <Snowflake className="i s" aria-hidden="true" />
          Freeze…
        </Button>
      }
      title={`Freeze ${name}?`}
      note="Promotions wait until the zone is unfrozen. What runs there keeps running."
      isOpen={isOpen}
      onOpenChange={setOpen}
      onSubmit={() => isMissing || freeze.isPending || freeze.mutate()}
      error={freeze.error}
      foot={
        <Button
          look="primary"
          type="submit"
          busy={freeze.isPending}
          why={isMissing ? 'Enter a reason. Everyone who wants to promote sees it.' : undefined}
        >
          Freeze {name}
        </Button>
      }
    >
      <Field
        label="Reason"
        name="reason"
        maxLength={500}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
        hint="Everyone who wants to promote sees it."
        error={findError(freeze.error, '/reason')}
      />
      <Field
        label="Until"
        name="until"
        type="datetime-local"
        value={until}
        onChange={(event) => setUntil(event.target.value)}
        hint="Optional, in your time zone. If empty, the zone stays frozen until a person unfreezes it."
        error={findError(freeze.error, '/until')}
      />
    </FormDialog>
  );
}
