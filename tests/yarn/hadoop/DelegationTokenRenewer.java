package org.apache.hadoop.yarn.server.resourcemanager.security;

/** Only the inner class replaces Hadoop's. */
public class DelegationTokenRenewer {
  /**
   * In Hadoop 3.3, repeats renewals of tokens that take too long. On a cluster with Kerberos its thread never waits, and
   * uses a processor of the machine as long as the ResourceManager runs. Here no renewal takes long.
   */
  final class DelegationTokenRenewerPoolTracker implements Runnable {
    @Override
    public void run() {
    }
  }
}
