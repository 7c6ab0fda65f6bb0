import { useId, useRef, type ComponentProps, type ReactNode } from 'react';
import { Link, type LinkComponentProps } from '@tanstack/react-router';
import { announce } from '../shell/announcer.tsx';
import styles from './button.module.css';

type Look = 'primary' | 'danger' | 'plain';
type Common = { look?: Look | undefined; small?: boolean; children: ReactNode };

const toClass = (look: Look | undefined, small: boolean | undefined): string =>
  [styles['btn'], look && styles[look], small && styles['small']].filter(Boolean).join(' ');

/** A button that stays focusable while it cannot be used: pressing it then shows `why`, also by key and by touch. */
export function Button({
  look,
  small,
  why,
  busy = false,
  title,
  onClick,
  ...rest
}: Common & { why?: string | undefined; busy?: boolean } & Omit<ComponentProps<'button'>, 'children'>) {
  const reason = useRef<HTMLSpanElement>(null);
  const reasonId = useId();
  const isDisabled = why !== undefined || busy;
  return (
    <>
      <button
        type="button"
        {...rest}
        {...(why !== undefined && { 'aria-describedby': reasonId })}
        className={toClass(look, small)}
        aria-disabled={isDisabled || undefined}
        aria-busy={busy || undefined}
        title={why ?? title}
        onClick={(event) => {
          if (!isDisabled) return onClick?.(event);
          event.preventDefault();
          if (reason.current) showReason(reason.current, event.currentTarget);
        }}
      />
      {why !== undefined && (
        <span ref={reason} id={reasonId} popover="auto" className={styles['reason']}>
          {why}
        </span>
      )}
    </>
  );
}

/** Shows why a button cannot be used until the next key or press. Escape then leaves a dialog around it open. */
function showReason(reason: HTMLElement, source: HTMLElement): void {
  reason.showPopover({ source });
  announce(reason.innerText);
  const close = (event: KeyboardEvent): void => {
    if (!reason.matches(':popover-open')) return;
    reason.hidePopover();
    if (event.key === 'Escape') event.stopPropagation();
  };
  document.addEventListener('keydown', close, { capture: true, once: true });
}

export const ButtonLink = ({ look, small, ...rest }: Common & LinkComponentProps<'a'>) => (
  <Link {...rest} className={toClass(look, small)} />
);
