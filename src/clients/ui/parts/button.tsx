import type { ComponentProps, ReactNode } from 'react';
import { Link, type LinkComponentProps } from '@tanstack/react-router';
import styles from './button.module.css';

type Look = 'primary' | 'danger' | 'plain';
type Common = { look?: Look | undefined; small?: boolean; children: ReactNode };

const toClass = (look: Look | undefined, small: boolean | undefined): string =>
  [styles['btn'], look && styles[look], small && styles['small']].filter(Boolean).join(' ');

/** A button that stays focusable while it cannot be used, so that everybody can read `why` below it. */
export function Button({
  look,
  small,
  why,
  busy = false,
  title,
  onClick,
  ...rest
}: Common & { why?: string | undefined; busy?: boolean } & Omit<ComponentProps<'button'>, 'children'>) {
  const isDisabled = why !== undefined || busy;
  return (
    <button
      type="button"
      {...rest}
      className={toClass(look, small)}
      aria-disabled={isDisabled || undefined}
      aria-busy={busy || undefined}
      title={why ?? title}
      onClick={(event) => {
        if (isDisabled) event.preventDefault();
        else onClick?.(event);
      }}
    />
  );
}

export const ButtonLink = ({ look, small, ...rest }: Common & LinkComponentProps<'a'>) => (
  <Link {...rest} className={toClass(look, small)} />
);
