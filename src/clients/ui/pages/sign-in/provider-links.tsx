import type { Schemas } from '../../api/generated/openapi.ts';
import buttons from '../../parts/button.module.css';
import styles from './sign-in.module.css';

type Providers = Schemas['SignInMethods']['identityProviders'];

/** Links to the identity providers, which the browser leaves this site for. */
export const ProviderLinks = ({ providers, to }: { providers: Providers; to: string }) =>
  providers.length > 0 && (
    <ul className={styles['providers']}>
      {providers.map(({ name, label }) => (
        <li key={name}>
          <a className={buttons['btn']} href={`/api/v1/auth/providers/${name}/start?to=${encodeURIComponent(to)}`}>
            Sign in with {label}
          </a>
        </li>
      ))}
    </ul>
  );
