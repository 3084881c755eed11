"""Specifications of Skein."""

# A chain of services, and a driver that ends the application. Files are relative to the specification.
CHAIN = """
name: chain
master:
  resources: {memory: 64 MiB, vcores: 1}
  files: {words.txt: data/words.txt}
  script: |
    read word < words.txt
    echo "driver read $word with $SKEIN_RESOURCE_MEMORY MiB"
services:
  the.store:
    resources: {memory: 64 MiB, vcores: 1}
    script: exec sleep 600
  reader:
    instances: 2
    max_restarts: -1
    depends: [the.store]
    resources: {memory: 64 MiB, vcores: 1}
    script: exec sleep 600
"""

# Two services that end. The first line of a pipeline fails, which Skein's bash ignores.
ENDING = """
services:
  good: {script: 'false | echo fine', resources: {memory: 64 MiB, vcores: 1}}
  bad: {script: 'exit 3', resources: {memory: 64 MiB, vcores: 1}, allow_failures: yes}
"""
