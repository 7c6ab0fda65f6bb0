{{/* Each address has its own certificate, so a failed one does not affect the others. */}}
{{- define "zone.certificates" -}}
{{- if .Values.certificates.clusterIssuer -}}
tls:
  {{- range .Values.ingress.hosts }}
  - hosts: [{{ . | quote }}]
    {{- /* The longest host names leave no space for the suffix. */}}
    secretName: {{ printf "%s-tls" (ternary . (sha256sum .) (lt (len .) 250)) | quote }}
  {{- end }}
{{- end }}
{{- end }}
