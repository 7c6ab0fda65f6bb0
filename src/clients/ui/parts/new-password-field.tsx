import type { ComponentProps } from 'react';
import { TextField } from './form-fields.tsx';

/** A password that a person chooses. The browser offers to make one up. */
export const NewPasswordField = ({ hint = '', ...rest }: ComponentProps<typeof TextField> & { hint?: string }) => (
  <TextField
    {...rest}
    hint={`At least 12 characters. ${hint}`.trim()}
    type="password"
    autoComplete="new-password"
    required
  />
);
