package org.apache.hadoop.io;

import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Stands for Hadoop's class of this name, which a NodeManager with Kerberos uses to read the logs of containers, and
 * which needs libhadoop.so. Checks the owner before it opens a file. The original checks the opened file, so that
 * another user cannot exchange it in between, which does not matter in tests.
 */
public class SecureIOUtils {
  public static class AlreadyExistsException extends IOException {
    public AlreadyExistsException(String message) {
      super(message);
    }
  }

  private static File owned(File file, String owner) throws IOException {
    String actual = Files.getOwner(file.toPath()).getName();
    // Containers run as the user of the NodeManager, unless the LinuxContainerExecutor is in use.
    if (owner != null && !owner.equals(actual) && !System.getProperty("user.name").equals(actual)) {
      throw new IOException("Owner '" + actual + "' for path " + file + " did not match expected owner '" + owner + "'");
    }
    return file;
  }

  public static RandomAccessFile openForRandomRead(File file, String mode, String owner, String group)
      throws IOException {
    return new RandomAccessFile(owned(file, owner), mode);
  }

  public static FSDataInputStream openFSDataInputStream(File file, String owner, String group) throws IOException {
    return FileSystem.getLocal(new org.apache.hadoop.conf.Configuration()).open(new Path(owned(file, owner).getPath()));
  }

  public static FileInputStream openForRead(File file, String owner, String group) throws IOException {
    return new FileInputStream(owned(file, owner));
  }

  public static FileOutputStream createForWrite(File file, int permissions) throws IOException {
    if (!file.createNewFile()) {
      throw new AlreadyExistsException("File " + file + " already exists");
    }
    return new FileOutputStream(file);
  }
}
